import { excerpt, operation, text } from './excerpt.ts'
import type { Provider } from './provider.ts'

const VERSION = '/services/data/v60.0'

export const salesforce: Provider = {
  id: 'salesforce',
  name: 'Salesforce',
  category: 'contacts',
  description: 'Contacts, accounts and other records of a Salesforce organisation.',
  oauth: {
    authorization_url: 'https://login.salesforce.com/services/oauth2/authorize',
    token_url: 'https://login.salesforce.com/services/oauth2/token',
    revoke_url: 'https://login.salesforce.com/services/oauth2/revoke',
  },
  base_url: '{instance_url}',
  instance_hosts: '.salesforce.com',
  scopes_required: ['api', 'refresh_token'],
  account: { id: 'id' },
  models: [
    {
      name: 'contacts',
      list: `GET ${VERSION}/query`,
      query: { q: 'SELECT Id, Name, Email, Phone, LastModifiedDate FROM Contact ORDER BY Id' },
      items: 'records',
      id: 'Id',
      paging: { by: 'link', from: 'nextRecordsUrl' },
    },
  ],
  document: excerpt('Salesforce', {
    records: [
      operation(`GET ${VERSION}/query`, 'query_records', 'Reads records by a SOQL query.', {
        query: { q: text('SOQL') },
        required: ['q'],
      }),
      operation(`GET ${VERSION}/sobjects/{object}/{id}`, 'get_record', 'Reads a record.'),
      operation(`POST ${VERSION}/sobjects/{object}`, 'create_record', 'Creates a record.', { body: { Name: text() } }),
      operation(`PATCH ${VERSION}/sobjects/{object}/{id}`, 'update_record', 'Changes a record.', {
        body: { Name: text() },
      }),
      operation(`DELETE ${VERSION}/sobjects/{object}/{id}`, 'delete_record', 'Deletes a record.'),
    ],
    schema: [
      operation(`GET ${VERSION}/sobjects`, 'list_objects', 'Lists the kinds of records.'),
      operation(
        `GET ${VERSION}/sobjects/{object}/describe`,
        'describe_object',
        'Reads the fields of a kind of records.',
      ),
      operation(`GET ${VERSION}/limits`, 'get_limits', 'Reads what is left of the limits of the organisation.'),
    ],
  }),
}
