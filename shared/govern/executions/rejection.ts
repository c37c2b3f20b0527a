import type { Execution } from './execution.ts'

/** The rule that refused an action, of a tenant's policy or built in, and why. */
export type Refusal = {
  policy_id: string
  message: string
  history?: true | undefined
  retry_after_s?: number | undefined
}

/** The stored and visible form of a refusal. */
export const rejectionOf = ({ policy_id, message, history, retry_after_s }: Refusal) =>
  ({
    policy_id,
    detail: `Rejected by policy ${policy_id}${message && `: ${message}`}`,
    history,
    retry_after_s,
  }) satisfies Execution['rejection']
