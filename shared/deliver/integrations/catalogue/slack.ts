import { choice, count, excerpt, flag, operation, text } from './excerpt.ts'
import type { Provider } from './provider.ts'

const page = { limit: count(1_000), cursor: text() }

export const slack: Provider = {
  id: 'slack',
  name: 'Slack',
  category: 'messages',
  description: 'Channels, messages and people of a Slack workspace.',
  oauth: {
    authorization_url: 'https://slack.com/oauth/v2/authorize',
    token_url: 'https://slack.com/api/oauth.v2.access',
    scope_separator: ',',
    pkce: false,
    not_now: ['ratelimited', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout', 'rate_limited'],
  },
  base_url: 'https://slack.com/api',
  scopes_required: ['channels:read', 'channels:history', 'chat:write', 'users:read'],
  account: { id: 'team.id', name: 'team.name' },
  error_when: { member: 'ok', is: 'false' },
  models: [
    {
      name: 'channels',
      list: 'GET /conversations.list',
      items: 'channels',
      id: 'id',
      size: 'limit',
      paging: { by: 'cursor', from: 'response_metadata.next_cursor', to: 'cursor' },
    },
    {
      name: 'users',
      list: 'GET /users.list',
      items: 'members',
      id: 'id',
      size: 'limit',
      paging: { by: 'cursor', from: 'response_metadata.next_cursor', to: 'cursor' },
    },
  ],
  document: excerpt('Slack', {
    conversations: [
      operation('GET /conversations.list', 'list_conversations', 'Lists the channels of the workspace.', {
        query: { ...page, types: text('public_channel, private_channel'), exclude_archived: flag },
      }),
      operation('GET /conversations.history', 'get_conversation_history', 'Reads the messages of a channel.', {
        query: { channel: text(), oldest: text(), latest: text(), ...page },
        required: ['channel'],
      }),
      operation('GET /conversations.info', 'get_conversation', 'Reads one channel.', {
        query: { channel: text() },
        required: ['channel'],
      }),
      operation('POST /conversations.archive', 'archive_conversation', 'Archives a channel.', {
        body: { channel: text() },
        required: ['channel'],
      }),
      operation('POST /conversations.invite', 'invite_to_conversation', 'Invites people to a channel.', {
        body: { channel: text(), users: text('Ids of people, separated by commas') },
        required: ['channel', 'users'],
      }),
    ],
    chat: [
      operation('POST /chat.postMessage', 'post_message', 'Sends a message to a channel or a person.', {
        body: { channel: text(), text: text(), thread_ts: text() },
        required: ['channel', 'text'],
      }),
      operation('POST /chat.update', 'update_message', 'Changes a message that was sent.', {
        body: { channel: text(), ts: text(), text: text() },
        required: ['channel', 'ts', 'text'],
      }),
      operation('POST /chat.delete', 'delete_message', 'Deletes a message.', {
        body: { channel: text(), ts: text() },
        required: ['channel', 'ts'],
      }),
    ],
    users: [
      operation('GET /users.list', 'list_users', 'Lists the people of the workspace.', { query: page }),
      operation('GET /users.info', 'get_user', 'Reads one person.', { query: { user: text() }, required: ['user'] }),
      operation('GET /users.getPresence', 'get_user_presence', 'Reads whether a person is there.', {
        query: { user: text(), presence: choice('active', 'away') },
        required: ['user'],
      }),
    ],
  }),
}
