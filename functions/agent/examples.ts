import type { Examples } from '../../shared/base/wire/example.ts'
import type { agent } from './routes.ts'

export const examples: Examples<typeof agent> = {
  execute: { body: { tier: 'AUTO', command: 'Summarise the open tickets of today', agent_id: 'agt_support' } },
  approve: { body: { reason: 'The maintenance window is open.' } },
}
