import type { Execution } from './execution.ts'

/** How a refusal by a policy is stored and shown. */
export const rejectionOf = ({ policy_id, message }: { policy_id: string; message: string }) =>
  ({
    policy_id,
    detail: `Rejected by policy ${policy_id}${message && `: ${message}`}`,
  }) satisfies Execution['rejection']
