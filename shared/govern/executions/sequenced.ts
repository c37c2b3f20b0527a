// Whose mark a policy with `after` goes by, what leaves it, and how long it holds. Pure.
import type { Kind } from '../../base/catalog/kinds.ts'
import { actorsOf } from '../../ledger/conduct/actors.ts'
import { type After, type AfterKey, type Found, isSource, withinSeconds } from '../governance/sequence.ts'
import type { CompiledSet } from '../governance/conditions/compile.ts'
import type { Policy } from '../governance/policy.ts'
import type { LoadedAction } from '../manifests/load.ts'
import type { Execution } from './execution.ts'

/** Longer than the policy asks for, so that an agent that goes on reading seldom writes the item. */
const MARGIN = 1.1

export type Actor = Pick<Execution, 'requested_by' | 'agent_id' | 'agent_bound' | 'persons' | 'trace_id'>

/** An unbound credential is its own agent: each name that it states would begin a new history. */
export function actorFor(per: AfterKey, { requested_by, persons, trace_id, ...agent }: Actor): string {
  const { type, id } = requested_by
  const own = `${type}:${id}`
  const bound = agent.agent_bound ? actorsOf({ type, id, ...agent })[0] : undefined
  const value = { agent: bound ?? own, principal: own, person: persons[0] ?? own, trace: trace_id }[per]
  return encodeURIComponent(`${per}:${value}`.toWellFormed())
}

export type Sequenced = Policy & { after: NonNullable<Policy['after']> }
export const sequencedIn = ({ policies }: CompiledSet): Sequenced[] =>
  policies.flatMap(({ policy }) => (policy.after ? [{ ...policy, after: policy.after }] : []))

export type Ran = { action: Pick<LoadedAction, 'node' | 'endpoint'>; kind: Kind }

/** The policies on whose behalf an action leaves a mark when it runs. */
export function sourceOf(sequenced: readonly Sequenced[], { action: { node, endpoint }, kind }: Ran): Sequenced[] {
  const named = {
    'node.id': node.id,
    'node.category': node.category,
    'action.id': endpoint.action_id,
    'action.kind': kind,
  }
  return sequenced.filter(({ after }) => isSource(after, named))
}

/** The policies on whose behalf an answer leaves a mark, by the types of what was found in it. */
export function answerOf(sequenced: readonly Sequenced[], types: readonly string[]): Sequenced[] {
  const holds = {
    secrets: types.includes('SECRET'),
    pii: types.some((type) => type !== 'SECRET'),
  } satisfies Record<Found, boolean>
  return sequenced.filter(({ after }) => after.output.some((one) => holds[one]))
}

/** Whether a mark that holds until a Unix second is too short for an action at another. */
export const isDue = (after: After, until: number, at: number): boolean => until < at + withinSeconds(after)

/** Until when (Unix second) a mark of a Unix second holds. */
export const lasts = (after: After, at: number): number => Math.ceil(at + withinSeconds(after) * MARGIN)

/** In ms. */
export const holds = (until: number, at: number): boolean => at <= until * 1_000
