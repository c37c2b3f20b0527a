import type { Examples, Variables } from '../../shared/base/wire/example.ts'
import type { agent } from './routes.ts'

export const examples: Examples<typeof agent> = {
  execute: { body: { tier: 'AUTO', command: 'Summarise the open tickets of today', agent_id: 'agt_support' } },
  approve: { body: { reason: 'The maintenance window is open.' } },
}

export const variables: Variables<typeof agent> = {
  '/agent/approve/{task_id}': ['The id of the task.', 'exe_01JD3Q8Z5N2C4E6G8J0M2P4R0A'],
}
