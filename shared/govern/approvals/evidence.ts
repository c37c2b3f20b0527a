// Compares approvals with the evidence of their executions before they are shown. Votes and decider of an approval that the evidence
// contradicts are left out, because a flag beside a name is easily overlooked. The comparison itself is pure, so that views, exports
// and verification use the same rule.
import type { Context } from '../../base/context.ts'
import { readReferencedArtifacts, type Reference } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { alarmDiffering, type RowEvidence, rowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import { type Execution, executions } from '../executions/execution.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Approval, approvals, type ApprovalSlaView, approvalSlaView } from './approval.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { approvalFacts } from './hold.ts'
import { counts } from './votes/rules.ts'
import { readable } from '../../ledger/evidence/artifact/artifact.ts'

/** An approval as it is shown: with its evidence, and its SLA at this moment. */
export type WithEvidence = Omit<Approval, 'sla'> & RowEvidence & { sla: ApprovalSlaView | undefined }

const isAbout = ({ type }: Reference): boolean => type === 'action.requested' || type.startsWith('approval.')

/** The approvals as they are shown. One that seems to contradict its evidence and has changed since is read again first. */
export async function withEvidence(ctx: Context, shown: readonly Stored<Approval>[]): Promise<WithEvidence[]> {
  const keys = shown.map(({ request_id }) => ({ ...ctx.space, id: request_id }))
  return withEvidenceOf(ctx, shown, await ctx.table.getAll(executions, keys))
}

/** The same when the executions were already read. */
export async function withEvidenceOf(
  ctx: Context,
  shown: readonly Stored<Approval>[],
  found: readonly Execution[],
): Promise<WithEvidence[]> {
  const evidence = await evidenceOf(ctx, shown, found)
  const suspects = shown.filter((_, index) => evidence[index]?.evidence_status === 'differs')
  const moved = await changedSinceRead(ctx, suspects)
  const again = new Map((await readAgain(ctx, [...moved.values()])).map((one) => [one.id, one]))
  return shown.map((approval, index) => again.get(approval.id) ?? withoutContradicted(ctx, approval, evidence[index]))
}

const readAgain = async (ctx: Context, moved: readonly Stored<Approval>[]): Promise<WithEvidence[]> =>
  moved.length === 0 ? [] : withEvidence(ctx, moved)

async function evidenceOf(
  ctx: Context,
  shown: readonly Approval[],
  found: readonly Execution[],
): Promise<RowEvidence[]> {
  const referenced = await readReferencedArtifacts(
    ctx,
    [...new Map(found.map((one) => [one.id, one])).values()],
    isAbout,
  )
  const rows = shown.map((approval) => ({
    referenced: referenced.get(approval.request_id) ?? [],
    contradictions: (headers: Parameters<typeof contradictionsOf>[1]) => contradictionsOf(approval, headers),
  }))
  return rowEvidence(ctx, rows)
}

/** The same for one approval. */
export async function approvalWithEvidence(
  ctx: Context,
  approval: Stored<Approval>,
  execution: Execution,
): Promise<WithEvidence> {
  const [proven] = await withEvidenceOf(ctx, [approval], [execution])
  if (!proven) throw new Error('no evidence was compared with the approval')
  return proven
}

function withoutContradicted(ctx: Context, stored: Approval, evidence: RowEvidence | undefined): WithEvidence {
  const approval = { ...stored, sla: approvalSlaView(stored, ctx.now()) }
  const { evidence_status = 'differs', contradicted } = evidence ?? {}
  if (evidence_status !== 'differs') return { ...approval, evidence_status }
  alarmDiffering(approval.id, evidence)
  const { decided_by: _by, decided_at: _at, reason: _reason, method: _method, ...rest } = approval
  return { ...rest, votes: [], evidence_status, ...(contradicted && { contradicted }) }
}

const DECIDED: readonly (string | undefined)[] = [
  'approval.approved',
  'approval.rejected',
  'approval.expired',
  'approval.cancelled',
]
/** Artifacts of a vote. */
const VOTED: readonly (string | undefined)[] = ['approval.voted', 'approval.approved', 'approval.rejected']
/** Artifacts that state a pending approval. */
const UNDECIDED: readonly (string | undefined)[] = ['approval.voted', 'approval.escalated', 'approval.extended']

type Facts = Partial<Header>

/** Names of the members that the artifacts contradict or do not prove. `headers`: of the execution, oldest first. */
export function contradictionsOf(approval: Approval, headers: readonly Facts[]): string[] {
  const ofApproval = headers.filter((header) => header.approval?.id === approval.id)
  const request = ofApproval.find(({ type }) => type === 'action.requested')
  return [...new Set([...(request ? ofRequest(approval, request) : []), ...ofDecision(approval, ofApproval)])]
}

function ofRequest(approval: Approval, { actor, decision, node_id, action_id, version, ...header }: Facts): string[] {
  const digest = header.approval?.action_digest
  const facts: Record<string, [row: unknown, artifact: unknown]> = {
    requested_by: [approval.requested_by, actor && { type: actor.kind, id: actor.id }],
    node_id: [approval.node_id, node_id],
    action_id: [approval.action_id, action_id],
    version: [approval.version, version],
    kind: [approval.kind, decision?.kind],
    risk: [approval.risk, decision?.risk],
    reasons: [approval.reasons, decision?.reasons],
    action_digest: [approval.action_digest, digest && `sha256:${digest}`],
  }
  return Object.keys(facts).filter(
    (name) => canonicalJson(facts[name]?.[0]) !== canonicalJson(facts[name]?.[1] ?? null),
  )
}

function ofDecision(approval: Approval, ofApproval: readonly Facts[]): string[] {
  const decision = ofApproval.findLast(({ type }) => DECIDED.includes(type))
  if (decision ? decision.type !== `approval.${approval.status}` : approval.status !== 'pending') return ['status']
  const last = decision ?? ofApproval.findLast(({ type }) => UNDECIDED.includes(type))
  if (!last) return approval.votes.length > 0 ? ['votes'] : []
  return [...ofFacts(approval, last), ...ofPeople(approval, ofApproval)]
}

/** The artifact must state what one made from the present approval would state. */
function ofFacts(approval: Approval, { approval: stated }: Facts): string[] {
  const facts: Record<string, unknown> = approvalFacts(approval, stated?.decision)
  const artifact: Record<string, unknown> = stated ?? {}
  const names = new Set([...Object.keys(facts), ...Object.keys(artifact)])
  return [...names].filter((name) => canonicalJson(facts[name] ?? null) !== canonicalJson(artifact[name] ?? null))
}

/**
 * Every voter and decider needs an artifact in their own name. Later artifacts only repeat what the table said, which somebody
 * else may have written.
 */
function ofPeople({ status, votes, decided_by }: Approval, ofApproval: readonly Facts[]): string[] {
  const voters = new Set(ofApproval.filter(({ type }) => VOTED.includes(type)).map(({ actor }) => actor?.id))
  const decider = ofApproval.findLast(hasDecided)?.actor
  const isDecider = decided_by?.id === decider?.id && decided_by?.type === decider?.kind
  const isWithdrawn = status === 'cancelled' && !decided_by
  const unproven = votes.filter(counts).some(({ by }) => !voters.has(by.id))
  return [...(unproven ? ['votes'] : []), ...(isDecider || isWithdrawn ? [] : ['decided_by'])]
}

/** A person or key decided, not a rule. */
const hasDecided = ({ type, approval }: Facts): boolean =>
  VOTED.includes(type) && type !== 'approval.voted' && ['manual', 'api_key'].includes(approval?.method ?? '')

/**
 * Reads approvals again that seem to contradict their evidence, and returns those that have changed since, by id. Their
 * execution was read later, so it may name a newer vote.
 */
export async function changedSinceRead(ctx: Context, suspects: readonly Stored<Approval>[]) {
  const again = await ctx.table.getAll(
    readable(approvals),
    suspects.map(({ id }) => ({ ...ctx.space, id })),
  )
  const versions = new Map(suspects.map(({ id, _v }) => [id, _v]))
  return new Map(again.flatMap((one) => (one && one._v !== versions.get(one.id) ? [[one.id, one] as const] : [])))
}
