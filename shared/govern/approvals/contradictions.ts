// Where an approval says something else than the artifacts of its execution. Pure: what is shown, exported and verified is
// held against the evidence by this one rule.
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
/** Somebody votes. */
const VOTED: readonly (string | undefined)[] = ['approval.voted', 'approval.approved', 'approval.rejected']
/** These say how an approval stands that nobody has decided. */
const UNDECIDED: readonly (string | undefined)[] = ['approval.voted', 'approval.escalated']

type EventFacts = Partial<Header>

/** Names of what the artifacts contradict or do not prove. `headers`: those of the execution, oldest first. */
export function contradictionsOf(approval: Approval, headers: readonly EventFacts[]): string[] {
  const own = headers.filter((header) => header.approval?.id === approval.id)
  const asked = own.find(({ type }) => type === 'action.requested')
  return [...new Set([...(asked ? ofRequest(approval, asked) : []), ...ofDecision(approval, own)])]
}

function ofRequest(
  approval: Approval,
  { actor, decision, node_id, action_id, version, ...header }: EventFacts,
): string[] {
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

function ofDecision(approval: Approval, own: readonly EventFacts[]): string[] {
  const decision = own.findLast(({ type }) => DECIDED.includes(type))
  if (decision ? decision.type !== `approval.${approval.status}` : approval.status !== 'pending') return ['status']
  const last = decision ?? own.findLast(({ type }) => UNDECIDED.includes(type))
  if (!last) return approval.votes.length > 0 ? ['votes'] : []
  return [...ofFacts(approval, last), ...ofPeople(approval, own)]
}

/** The artifact says of the approval what it would say of it as it stands. */
function ofFacts(approval: Approval, { approval: told }: EventFacts): string[] {
  const facts: Record<string, unknown> = approvalFacts(approval, told?.decision)
  const artifact: Record<string, unknown> = told ?? {}
  const names = new Set([...Object.keys(facts), ...Object.keys(artifact)])
  return [...names].filter((name) => canonicalJson(facts[name] ?? null) !== canonicalJson(artifact[name] ?? null))
}

/**
 * Whoever voted or decided left an artifact of their own. Later ones only repeat what the table said by then, which somebody
 * else may have written.
 */
function ofPeople({ status, votes, decided_by }: Approval, own: readonly EventFacts[]): string[] {
  const voters = new Set(own.filter(({ type }) => VOTED.includes(type)).map(({ actor }) => actor?.id))
  const decider = own.findLast(hasDecided)?.actor
  const isDecider = decided_by?.id === decider?.id && decided_by?.type === decider?.kind
  const isDisowned = status === 'cancelled' && !decided_by
  const unproven = votes.filter(counts).some(({ by }) => !voters.has(by.id))
  return [...(unproven ? ['votes'] : []), ...(isDecider || isDisowned ? [] : ['decided_by'])]
}

/** A person or key decided, and no rule did. */
const hasDecided = ({ type, approval }: EventFacts): boolean =>
  VOTED.includes(type) && type !== 'approval.voted' && ['manual', 'api_key'].includes(approval?.method ?? '')
