import type { Execution } from './execution.ts'

/** What refused an action: a policy, or one of the rules that every tenant has. */
export type Refusal = { policy_id: string; message: string }

/** How a refusal is stored and shown. */
export const rejectionOf = ({ policy_id, message }: Refusal) =>
  ({
    policy_id,
    detail: `Rejected by policy ${policy_id}${message && `: ${message}`}`,
  }) satisfies Execution['rejection']
