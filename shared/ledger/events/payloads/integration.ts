// Payloads of category integration: connections to third parties and their syncs.
import * as z from 'zod'
import { flag, maybeText, payload, text, texts, whole } from './fields.ts'

const connection = { connector_id: text, connection_id: text }
const connectionExample = { connector_id: 'crm', connection_id: 'con_01JD3Q8Z5NCR4T6V8Y0A2C4E6G' }

export const integration = {
  'integration.connected': payload(
    { ...connection, provider: text, scopes_granted: texts, connected_by: maybeText, reauthorized: flag },
    {
      ...connectionExample,
      provider: 'crm',
      scopes_granted: ['contacts.read'],
      connected_by: 'usr_01JD3Q8Z5N1B3D5F7H9K1N3Q5S',
      reauthorized: false,
    },
  ),
  'integration.disconnected': payload(
    { ...connection, reason: z.enum(['user', 'refresh_failed', 'revoked']), revoked_at_provider: flag },
    { ...connectionExample, reason: 'user', revoked_at_provider: true },
  ),
  'integration.sync.completed': payload(
    {
      ...connection,
      job_id: text,
      status: z.enum(['completed', 'partial', 'failed']),
      models: texts,
      records_added: whole,
      records_updated: whole,
      records_deleted: whole,
      duration_ms: whole,
      error_code: maybeText,
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
