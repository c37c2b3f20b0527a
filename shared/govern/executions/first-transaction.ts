// Artifact facts and events of the first transaction of an execution, the same for each outcome, and the sealed origin of its request.
import type { EventDraft } from '../../ledger/events/event.ts'
import type { ArtifactFacts } from '../../ledger/evidence/artifact/artifact.ts'
import { approvedEvent, type EventFacts, submittedEvents, taskEvents, violationEvents } from './events.ts'
import { type Execution, executions } from './execution.ts'
import type { Submission } from './submission.ts'
import type { Context } from '../../base/context.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { isListed } from '../../identity/access/allowlist.ts'
import { openBytes, sealBytes } from '../../ledger/sealing/seal.ts'
import type { CompiledSet } from '../governance/conditions/compile.ts'
import { Failure } from '../../base/lib/failure.ts'

/** Facts of the artifact of a decision, beyond those of every artifact of an execution. */
export function decisionFacts(submission: Submission, draft: Execution) {
  const { decision, decision_contract_id, policy_set_version, task } = submission
  const { tier, kind, risk, strategy, reasons } = decision.routing_decision
  const notPassed = decision.policy_evaluations.filter(({ result }) => result !== 'pass')
  return {
    decision_contract_id,
    decision: {
      tier,
      kind,
      risk,
      strategy,
      reasons: reasons.map(({ signal }) => signal),
      policy_set_version: policy_set_version.replace('sha256:', ''),
    },
    ...(notPassed.length > 0 && {
      policy_evaluations: notPassed.map(({ policy_id, result }) => ({ policy_id, result })),
    }),
    policies_passed: decision.policy_evaluations.length - notPassed.length,
    payload_commitment: draft.payload_commitment,
    ...((draft.agent_id ?? draft.client_id ?? draft.client ?? draft.undo_of ?? draft.grant_id ?? task) && {
      data: dataOf(draft, task?.id),
    }),
  } satisfies Partial<ArtifactFacts>
}

const dataOf = (
  { agent_id, agent_bound, client_id, client, undo_of, grant_id }: Execution,
  task_id: string | undefined,
) => ({
  ...(agent_id && { agent_bound: agent_bound ?? false }),
  ...(client_id && { client_id }),
  ...(client && { client }),
  ...(undo_of && { undo_of }),
  ...(grant_id && { grant_id }),
  ...(task_id && { task_id }),
})

export const eventFacts = (submission: Submission, execution: Execution): EventFacts => ({
  execution,
  routing: submission.decision.routing_decision,
})

/** The events before an effect: submitted, violated policies, and for SOFT the automatic approval. */
export function firstEvents({ decision, command_sha256 }: Submission, facts: EventFacts): EventDraft[] {
  const soft = decision.outcome === 'run' && decision.tier === 'SOFT'
  return [
    ...taskEvents(facts, command_sha256),
    ...submittedEvents(facts),
    ...violationEvents(facts, decision.fired),
    ...(soft ? [approvedEvent(facts, 'system', 'automatic')] : []),
  ]
}

/**
 * Where a request comes from: its address and the roles of its caller. For a held action they are sealed in its execution, because the
 * second decision, hours later and in the request of somebody else, must see the same facts.
 */
export type Origin = {
  ip?: string | undefined
  /** ISO 3166-1 alpha-2. Only where a policy reads it, because its file is large. */
  country?: string | undefined
  /** A rule of the tenant's allow-list names the address. */
  allow_listed?: boolean | undefined
  roles: readonly string[]
}

/** The origin of the present request, as far as the policies read it. */
export async function originOf({ table, space, principal, request }: Context, { reads }: CompiledSet): Promise<Origin> {
  const { ip } = request
  const { roles } = principal
  if (ip === '') return { roles }
  const allow_listed = isListed(await tenantOf(table, space.tenant_id), ip)
  return { ip, allow_listed, roles, ...(reads.has('request.country') && { country: await countryIn(ip) }) }
}

async function countryIn(ip: string): Promise<string | undefined> {
  const { countryOf } = await import('../../identity/security-events/country.ts') // few policies read it
  return (await countryOf(ip)) ?? undefined
}

/** Seals an origin. It is erased with the data subject `subject_ref`. */
export function sealOrigin({ space }: Context, { id, subject_ref }: Execution, origin: Origin) {
  const { ip = '', country = '', allow_listed = false, roles } = origin
  const text = [[ip, country, allow_listed ? 'listed' : ''].join(), ...roles].join(' ')
  return sealBytes(space, executions.key({ ...space, id }), 'origin', Buffer.from(text), { keyName: subject_ref })
}

/** Undefined when it was not stored or is erased; unknown facts tighten the decision. */
export async function openOrigin({ space }: Context, execution: Execution): Promise<Origin | undefined> {
  if (!execution.origin) return undefined
  try {
    const bytes = await openBytes(space, executions.key(execution), 'origin', execution.origin)
    const [place = '', ...roles] = bytes.toString().split(' ')
    const [ip, country, listed] = place.split(',')
    const allow_listed = listed === undefined ? undefined : listed === 'listed' // older ones do not say
    return { ip: ip || undefined, country: country || undefined, allow_listed, roles }
  } catch (error) {
    if (error instanceof Failure && error.kind === 'conflict') return undefined // erased
    throw error
  }
}
