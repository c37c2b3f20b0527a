// What an execution says about its action: chosen or rejected, and how sure that is. Pure, and total over the statuses. A status
// that says nothing about the action gives no label.
import { isCredentialId } from '../../base/lib/ids.ts'
import type { Approval, Vote } from '../../govern/approvals/approval.ts'
import { isRushed } from '../../govern/approvals/votes/attention.ts'
import { counts } from '../../govern/approvals/votes/rules.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import { unpackEvaluations } from '../../govern/executions/evaluations.ts'
import type { LabelSource } from '../datasets/dataset.ts'
import type { Side } from './sample.ts'

export type Label = {
  side: Side
  confidence: number
  source: LabelSource
  /** ISO 8601. */
  decided_at: string
  /** No approving vote was given with care. */
  rushed?: true
}

export type Case = {
  execution: Execution
  /** Of a held execution. */
  approval?: Pick<Approval, 'status' | 'method' | 'reason' | 'votes' | 'decided_at'> | undefined
  /** Seconds; see attention.ts. */
  attention: (vote: Vote) => number
  now: number
}

const RUSHED_MAX = 0.6
const POLICY_OF_TENANT = 'pol_'
/** Facts of the action itself. A rule about the time or the caller says nothing about it. */
const ABOUT_ACTION = /^(?:payload|signals|context)\./

export function labelOf(of: Case): Label | undefined {
  const { execution } = of
  if (execution.undo_of !== undefined || execution.sandbox) return undefined
  switch (execution.status) {
    case 'executed':
      return execution.held ? approved(of) : presumed(of)
    case 'rejected':
      return execution.rejection ? refused(execution, execution.rejection) : voted(of, 'rejected')
    case 'undone':
      return undone(execution)
    case 'submitted':
    case 'pending_approval':
    case 'approved':
    case 'executing':
    case 'failed':
    case 'outcome_unknown':
    case 'expired':
    case 'cancelled':
      return undefined
    default:
      return execution.status satisfies never
  }
}

/** By a person or a key. `self`: a requester who took back their own action has not judged it. */
function voted({ approval }: Case, side: Side): Label | undefined {
  if (approval?.status !== (side === 'chosen' ? 'approved' : 'rejected') || !approval.decided_at) return undefined
  const { method, reason = '', decided_at, votes } = approval
  if (side === 'rejected' && votes.findLast((vote) => vote.decision === 'reject' && counts(vote))?.self)
    return undefined
  if (method === 'manual') return { side, confidence: reason.trim() ? 1 : 0.9, source: 'human', decided_at }
  return method === 'api_key' ? { side, confidence: 0.8, source: 'key', decided_at } : undefined
}

/** A fast yes is weak evidence; a no is never weakened. */
function approved(of: Case): Label | undefined {
  const label = voted(of, 'chosen')
  const votes = of.approval?.votes.filter((vote) => vote.decision === 'approve' && counts(vote)) ?? []
  const isCareful = votes.some((vote) => !vote.self && !isRushed(of.attention(vote)))
  return !label || isCareful ? label : { ...label, confidence: Math.min(label.confidence, RUSHED_MAX), rushed: true }
}

/** It ran without an approval, and nobody undid it. */
function presumed({ execution, now }: Case): Label | undefined {
  const { tier, confidence }: { tier: string; confidence: number } = JSON.parse(execution.routing)
  const { undo_until = '', undo, executed_at } = execution
  const isOpen = now < Date.parse(undo_until) || undo?.state === 'running' || undo?.state === 'held'
  if (tier === 'HARD' || isOpen || executed_at === undefined) return undefined
  return { side: 'chosen', confidence: 0.5 + 0.3 * confidence, source: 'presumed', decided_at: executed_at }
}

function undone({ undo }: Execution): Label | undefined {
  if (!undo) return undefined
  const byPerson = !isCredentialId(undo.by) && undo.by !== 'system'
  return { side: 'rejected', confidence: byPerson ? 0.9 : 0.8, source: 'undo', decided_at: undo.at }
}

/** By a policy of the tenant that looked at the action itself. */
function refused({ evaluations, artifacts }: Execution, { policy_id }: { policy_id: string }): Label | undefined {
  const entry = unpackEvaluations(evaluations).find((one) => one.policy_id === policy_id)
  const fields = entry?.why?.map(({ field }) => field) ?? []
  const looked = fields.some((field) => ABOUT_ACTION.test(field)) && !fields.includes('limit') // how often says nothing about what
  const decided_at = artifacts.at(-1)?.at
  if (!policy_id.startsWith(POLICY_OF_TENANT) || !looked || decided_at === undefined) return undefined
  return { side: 'rejected', confidence: 0.8, source: 'policy', decided_at }
}

export type Verdict = 'good' | 'bad'

const AGREES = 0.1
const CONTRADICTS = 0.7

/**
 * The label after later feedback of people, all of which counts (proven-feedback.ts). Undefined when people contradict each other:
 * then nothing is known.
 */
export function withFeedback(label: Label, verdicts: readonly Verdict[]): Label | undefined {
  const [verdict, ...others] = new Set(verdicts)
  if (verdict === undefined) return label
  if (others.length > 0) return undefined
  const side = verdict === 'good' ? 'chosen' : 'rejected'
  if (side !== label.side) return { side, confidence: CONTRADICTS, source: 'feedback', decided_at: label.decided_at }
  return { ...label, confidence: Math.min(1, Math.round((label.confidence + AGREES) * 1e6) / 1e6) }
}
