import { count, excerpt, free, list, operation, shape, text } from './excerpt.ts'
import type { Provider } from './provider.ts'

const page = { limit: count(100), after: text(), properties: text('Names, separated by commas') }
const contact = shape({ email: text(), firstname: text(), lastname: text(), phone: text(), company: text() })

export const hubspot: Provider = {
  id: 'hubspot',
  name: 'HubSpot',
  category: 'contacts',
  description: 'Contacts of a HubSpot account.',
  oauth: {
    authorization_url: 'https://app.hubspot.com/oauth/authorize',
    token_url: 'https://api.hubapi.com/oauth/v1/token',
  },
  base_url: 'https://api.hubapi.com',
  scopes_required: ['oauth', 'crm.objects.contacts.read', 'crm.objects.contacts.write'],
  models: [
    {
      name: 'contacts',
      list: 'GET /crm/v3/objects/contacts',
      items: 'results',
      id: 'id',
      size: 'limit',
      paging: { by: 'cursor', from: 'paging.next.after', to: 'after' },
    },
  ],
  document: excerpt('HubSpot', {
    contacts: [
      operation('GET /crm/v3/objects/contacts', 'list_contacts', 'Lists contacts.', { query: page }),
      operation('GET /crm/v3/objects/contacts/{contactId}', 'get_contact', 'Reads a contact.'),
      operation('POST /crm/v3/objects/contacts', 'create_contact', 'Creates a contact.', {
        body: { properties: contact },
        required: ['properties'],
      }),
      operation('PATCH /crm/v3/objects/contacts/{contactId}', 'update_contact', 'Changes a contact.', {
        body: { properties: contact },
        required: ['properties'],
      }),
      operation('DELETE /crm/v3/objects/contacts/{contactId}', 'archive_contact', 'Archives a contact.'),
      operation('POST /crm/v3/objects/contacts/search', 'search_contacts', 'Searches contacts.', {
        body: { query: text(), filterGroups: list(free), limit: count(200), after: text() },
      }),
    ],
  }),
}
