// Payloads of category integration: connections to third parties and their syncs.
import * as z from 'zod'
import { flag, maybeText, payload, text, texts, whole } from './fields.ts'

const connection = {
  connector_id: text.describe('Id of the connector.'),
  connection_id: text.describe('Id of the connection.'),
}
const connectionExample = { connector_id: 'crm', connection_id: 'con_01JD3Q8Z5NCR4T6V8Y0A2C4E6G' }

export const integration = {
  'integration.connected': payload(
    {
      ...connection,
      provider: text.describe('The provider.'),
      scopes_granted: texts.describe('Scopes that the provider granted.'),
      connected_by: maybeText.describe('Id of the person who made the connection.'),
      reauthorized: flag.describe('Whether the connection existed before.'),
    },
    {
      ...connectionExample,
      provider: 'crm',
      scopes_granted: ['contacts.read'],
      connected_by: 'usr_01JD3Q8Z5N1B3D5F7H9K1N3Q5S',
      reauthorized: false,
    },
  ),
  'integration.disconnected': payload(
    {
      ...connection,
      reason: z.enum(['user', 'refresh_failed', 'revoked']).describe('The reason, for people.'),
      revoked_at_provider: flag.describe('Whether the access was revoked at the provider, too.'),
    },
    { ...connectionExample, reason: 'user', revoked_at_provider: true },
  ),
  'integration.sync.completed': payload(
    {
      ...connection,
      job_id: text.describe('Id of the job that does the work.'),
      status: z.enum(['completed', 'partial', 'failed']).describe('The current state.'),
      models: texts.describe('What was synchronised.'),
      records_added: whole.describe('The number of new records.'),
      records_updated: whole.describe('The number of changed records.'),
      records_deleted: whole.describe('The number of deleted records.'),
      duration_ms: whole.describe('How long it took, in ms.'),
      error_code: maybeText.describe('The cause of the error, for programs.'),
    },
    {
      ...connectionExample,
      job_id: 'syn_01JD3Q8Z5NDS5V7X9Z1B3D5F7H',
      status: 'completed',
      models: ['contact'],
      records_added: 12,
      records_updated: 3,
      records_deleted: 0,
      duration_ms: 4_210,
      error_code: null,
    },
  ),
}
