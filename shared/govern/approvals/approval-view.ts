// What the API shows of approvals. Lists never carry the payload; the detail view carries exactly the bytes that the digest
// binds.
import * as z from 'zod'
import { SlaView } from '../../base/sla/sla.ts'
import { freeForm } from '../../base/wire/fields.ts'
import { RowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import { ExecutionView } from '../executions/execution-view.ts'
import { EXECUTION_STATUSES } from '../executions/states.ts'
import { Reached } from '../limits/reached.ts'
import { Approval, Vote } from './approval.ts'
import { BoundAction } from './digest.ts'

export const ApprovalView = Approval.unwrap()
  .omit({ tenant_id: true, mode: true, persons: true, votes: true, salt: true, limits: true, repeat_key: true })
  .extend({
    votes: z.array(Vote.omit({ persons: true, groups: true })),
    sla: SlaView.optional(),
    /** Absent in the answer to a vote, which was not read from the table. */
    ...RowEvidence.partial().shape,
  })

/** How the definition of an action differs from the one that people approved last. */
export const ChangedSince = z.object({
  version: z.string(),
  approval_id: z.string(),
  approved_at: z.string(),
  /** `path`: a JSON pointer into the action. `before`, `after`: JSON, absent for what is not there. */
  differences: z.array(z.object({ path: z.string(), before: z.string().optional(), after: z.string().optional() })),
})
export type ChangedSince = z.output<typeof ChangedSince>

/** An equal request of the last 24 hours, and what became of it. */
export const RepeatView = z.object({
  approval_id: z.string(),
  request_id: z.string(),
  status: z.enum(EXECUTION_STATUSES),
  /** When it ran or was decided; when it was made, while it waits. */
  at: z.string(),
  requested_by: Approval.unwrap().shape.requested_by,
  agent_id: z.string().optional(),
  decided_by: Approval.unwrap().shape.decided_by,
  reason: z.string().optional(),
})
export type RepeatView = z.input<typeof RepeatView>

export const ApprovalDetailView = ApprovalView.extend({
  action_description: z.string().optional(),
  /** Made from what is stored now: its canonical JSON hashes to `action_digest`, unless somebody changed the table. */
  binding: BoundAction,
  /** The limits because of which it was held, as they stand now. */
  limits: z.array(Reached),
  /** What a vote may allow with `allow_for_s`. Absent where each action needs an approval, and once it is decided. */
  grant: z
    .object({ max_s: z.int(), max_uses: z.int(), free: z.array(z.string()), at_most: z.array(z.string()) })
    .optional(),
  /** Absent where the definition is the same, or no approval of this action was given lately. */
  changed_since: ChangedSince.optional(),
  /** Equal requests of the same person, the newest ten. Absent where there are none. */
  repeats: z.array(RepeatView).optional(),
  /** Requesters who stand behind the caller, so that their approval counts only if nobody else could decide (decision 0175). */
  raised: z.object({ by: z.array(z.string()), counts: z.boolean() }).optional(),
  /** Why it never runs, whoever approves it: the access of whoever asked for it has ended since. */
  moot: z.string().optional(),
  payload: freeForm.nullable(),
  /** Hex. With the payload it recomputes the commitment inside the digest. Null when the payload is redacted or erased. */
  payload_salt: z.string().nullable(),
})

const AlsoWaiting = ApprovalView.pick({
  id: true,
  request_id: true,
  action_digest: true,
  requested_at: true,
  expires_at: true,
})

export const ApprovalExecutionView = ApprovalView.extend({
  execution: ExecutionView,
  /** After a vote that gave a grant: what waits and would run under it. The grant does not reach these, so each needs a vote. */
  also_waiting: z.array(AlsoWaiting).optional(),
})
