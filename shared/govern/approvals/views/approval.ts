// What the API shows of approvals. Lists never carry the payload; the detail carries exactly the bytes that the digest binds.
import * as z from 'zod'
import { SlaView } from '../../../base/sla/sla.ts'
import { freeForm } from '../../../base/wire/fields.ts'
import { RowEvidence } from '../../../ledger/evidence/chain/row-evidence.ts'
import { ExecutionView } from '../../executions/execution-view.ts'
import { EXECUTION_STATUSES } from '../../executions/states.ts'
import { Reached } from '../../limits/reached.ts'
import { Approval, Vote } from '../approval.ts'
import { BoundAction } from '../hold.ts'

export const ApprovalView = Approval.unwrap()
  .omit({ tenant_id: true, mode: true, persons: true, votes: true, salt: true, limits: true, repeat_key: true })
  .extend({
    votes: z.array(Vote.omit({ persons: true, groups: true })).describe('All votes on the request.'),
    sla: SlaView.optional().describe('The times by which it must be started and resolved.'),
    /** Absent in the answer to a vote, which was not read from the table. */
    ...RowEvidence.partial().shape,
  })

/** How the definition of an action differs from the one that people approved last. */
export const ChangedSince = z.object({
  version: z.string().describe('The version that was approved last.'),
  approval_id: z.string().describe('That approval.'),
  approved_at: z.string().describe('When it was approved.'),
  /** `path`: a JSON pointer into the action. `before`, `after`: JSON, absent for what is not there. */
  differences: z
    .array(
      z.object({
        path: z.string().describe('Where, as a JSON pointer into the definition.'),
        before: z.string().optional().describe('The value before the change.'),
        after: z.string().optional().describe('The value after the change.'),
      }),
    )
    .describe('At most 50 members that differ.'),
})
export type ChangedSince = z.output<typeof ChangedSince>

/** An equal request of the last 24 hours, with its state. */
export const RepeatView = z.object({
  approval_id: z.string().describe('Its approval.'),
  request_id: z.string().describe('Its execution.'),
  status: z.enum(EXECUTION_STATUSES).describe('What became of it.'),
  at: z.string().describe('When it ran or was decided; when it was made, while it waits.'),
  requested_by: Approval.unwrap().shape.requested_by.describe('What asked for it.'),
  agent_id: z.string().optional().describe('The agent that asked for it.'),
  decided_by: Approval.unwrap().shape.decided_by.describe(
    'Who decided it. Left out, as the reason is, where the evidence contradicts it.',
  ),
  reason: z.string().optional().describe('The reason of the decision.'),
})
export type RepeatView = z.input<typeof RepeatView>

export const ApprovalDetailView = ApprovalView.extend({
  action_description: z.string().optional().describe("The manifest's description of the action."),
  /** Made from the stored action: its canonical JSON hashes to `action_digest`, unless somebody changed the table. */
  binding: BoundAction.describe(
    'What the approval binds. The SHA-256 of its canonical JSON (RFC 8785) is `action_digest`; its `payload_commitment` follows from `payload_salt` and `payload`.',
  ),
  limits: z.array(Reached).describe('The limits because of which it was held, as they stand now.'),
  /** What a vote may allow with `allow_for_s`. Absent where each action needs an approval, and once it is decided. */
  grant: z
    .object({
      max_s: z.int().describe('The longest time of a grant, in seconds.'),
      max_uses: z.int().describe('How often the action may run under one grant.'),
      free: z
        .array(z.string())
        .describe(
          'JSON pointers of members of the payload that may differ. A value with a program, a link, a recipient, an amount or a target is pinned all the same.',
        ),
      at_most: z
        .array(z.string())
        .describe('JSON pointers of numbers, such as an amount, that may be smaller than the approved ones.'),
    })
    .optional()
    .describe(
      'What a vote may allow with `allow_for_s`. Absent where each action needs an approval of its own, and once it is decided.',
    ),
  /** Absent where the definition is the same, or no approval of this action was given lately. */
  changed_since: ChangedSince.optional().describe(
    'How the definition differs from the one that people approved last. Absent where it is the same, or the newest 100 approved requests hold none of this action. The digest does not cover it.',
  ),
  repeats: z
    .array(RepeatView)
    .optional()
    .describe(
      'Equal requests of the same accountable person within the last 24 hours: the same node, action and payload. The newest first, at most ten; absent where there are none. The digest does not cover them.',
    ),
  /** Requesters who could act through the account of the caller. The approval then counts only if nobody else could decide (0175). */
  raised: z
    .object({
      by: z.array(z.string()).describe('Who stands behind the account.'),
      counts: z.boolean().describe('Whether your approval counts all the same, because nobody else can decide.'),
    })
    .optional()
    .describe(
      'Who could have made the request, and stands behind your account. Absent if nobody does, or if you may not decide on approvals.',
    ),
  moot: z
    .string()
    .optional()
    .describe('Why it never runs, whoever approves it: the access of whoever asked for it has ended since.'),
  payload: freeForm.nullable().describe('The payload of the action, exactly as it was sent.'),
  /** Hex. With the payload it recomputes the commitment inside the digest. Null when the payload is redacted or erased. */
  payload_salt: z.string().nullable().describe('The salt of the commitment, hex.'),
})

const AlsoWaiting = ApprovalView.pick({
  id: true,
  request_id: true,
  action_digest: true,
  requested_at: true,
  expires_at: true,
})

export const ApprovalExecutionView = ApprovalView.extend({
  execution: ExecutionView.describe('The execution.'),
  also_waiting: z
    .array(AlsoWaiting)
    .optional()
    .describe(
      'After a vote that gave a grant: the newest requests that wait and would run under it. The grant reaches later requests only, so each of these needs a vote of its own.',
    ),
})
