import { count, excerpt, flag, list, operation, shape, text } from './excerpt.ts'
import type { Provider } from './provider.ts'

const page = { $top: count(1_000), $skip: count(), $select: text(), $filter: text() }
const address = shape({ emailAddress: shape({ address: text(), name: text() }, ['address']) })
const message = {
  subject: text(),
  body: shape({ contentType: text(), content: text() }),
  toRecipients: list(address),
  ccRecipients: list(address),
}

export const microsoft: Provider = {
  id: 'microsoft',
  name: 'Microsoft 365',
  category: 'messages',
  description: 'Mail and profile of a Microsoft account.',
  oauth: {
    authorization_url: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token_url: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    pkce: false,
    authorize_params: { response_mode: 'query' },
  },
  base_url: 'https://graph.microsoft.com',
  scopes_required: ['offline_access', 'User.Read', 'Mail.Read', 'Mail.Send'],
  models: [
    {
      name: 'messages',
      list: 'GET /v1.0/me/messages',
      items: 'value',
      id: 'id',
      size: '$top',
      paging: { by: 'link', from: '@odata.nextLink' },
    },
  ],
  document: excerpt('Microsoft Graph', {
    mail: [
      operation('GET /v1.0/me/messages', 'list_messages', 'Lists mails.', { query: page }),
      operation('GET /v1.0/me/messages/{id}', 'get_message', 'Reads a mail.'),
      operation('POST /v1.0/me/messages', 'create_draft', 'Creates a draft.', { body: message }),
      operation('POST /v1.0/me/messages/{id}/send', 'send_draft', 'Sends a draft.'),
      operation('POST /v1.0/me/sendMail', 'send_mail', 'Sends a mail.', {
        body: { message: shape(message), saveToSentItems: flag },
        required: ['message'],
      }),
      operation('DELETE /v1.0/me/messages/{id}', 'delete_message', 'Deletes a mail.'),
    ],
    users: [operation('GET /v1.0/me', 'get_me', 'Reads the profile of the account.')],
  }),
}
