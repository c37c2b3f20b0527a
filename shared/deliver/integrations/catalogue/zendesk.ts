import { choice, count, excerpt, flag, list, operation, shape, text } from './excerpt.ts'
import type { Provider } from './provider.ts'

const page = { 'page[size]': count(100), 'page[after]': text() }
const ticket = {
  subject: text(),
  comment: shape({ body: text(), public: flag }),
  status: choice('new', 'open', 'pending', 'hold', 'solved', 'closed'),
  priority: choice('low', 'normal', 'high', 'urgent'),
  tags: list(text()),
}

export const zendesk: Provider = {
  id: 'zendesk',
  name: 'Zendesk',
  category: 'issues',
  description: 'Tickets of a Zendesk account.',
  oauth: {
    authorization_url: 'https://{subdomain}.zendesk.com/oauth/authorizations/new',
    token_url: 'https://{subdomain}.zendesk.com/oauth/tokens',
    token_params: { expires_in: '1800' }, // else the answer names no end, and the token dies after 30 days
  },
  base_url: 'https://{subdomain}.zendesk.com',
  params: [
    { name: 'subdomain', pattern: /^[a-z0-9_-]{1,63}$/, description: 'The first part of the address of the account' },
  ],
  scopes_required: ['tickets:read', 'tickets:write'],
  models: [
    {
      name: 'tickets',
      list: 'GET /api/v2/tickets.json',
      items: 'tickets',
      id: 'id',
      size: 'page[size]',
      paging: { by: 'cursor', from: 'meta.after_cursor', to: 'page[after]' },
    },
  ],
  document: excerpt('Zendesk', {
    tickets: [
      operation('GET /api/v2/tickets.json', 'list_tickets', 'Lists tickets.', { query: page }),
      operation('GET /api/v2/tickets/{ticket_id}.json', 'get_ticket', 'Reads a ticket.'),
      operation(
        'GET /api/v2/tickets/{ticket_id}/comments.json',
        'list_ticket_comments',
        'Reads the comments of a ticket.',
        {
          query: page,
        },
      ),
      operation('POST /api/v2/tickets.json', 'create_ticket', 'Creates a ticket.', {
        body: { ticket: shape(ticket, ['comment']) },
        required: ['ticket'],
      }),
      operation('PUT /api/v2/tickets/{ticket_id}.json', 'update_ticket', 'Changes a ticket, or answers it.', {
        body: { ticket: shape(ticket) },
        required: ['ticket'],
      }),
      operation('DELETE /api/v2/tickets/{ticket_id}.json', 'delete_ticket', 'Deletes a ticket.'),
    ],
  }),
}
