// Compares an approval with the artifacts of its execution. Pure, so that views, exports and verification use the same rule.
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import type { Approval } from './approval.ts'
import { approvalFacts } from './hold.ts'
import { counts } from './rules.ts'

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
