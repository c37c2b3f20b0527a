import type { Execution } from './execution.ts'

/** The rule that refused an action, of a tenant's policy or built in, and why. */
export type Refusal = { policy_id: string; message: string; history?: true }

/** The stored and visible form of a refusal. */
export const rejectionOf = ({ policy_id, message }: Refusal) =>
  ({
    policy_id,
    detail: `Rejected by policy ${policy_id}${message && `: ${message}`}`,
  }) satisfies Execution['rejection']
