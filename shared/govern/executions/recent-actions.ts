// Marks of actors: what they did a short while ago, for policies with `after`. An agent can use what it read only after our
// answer, which follows the commit of the mark, so no lock is needed.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { entity, spaceKey, type Write } from '../../base/table/entity.ts'
import { type After, AFTER_KEYS, type AfterKey, type Found, isSource, withinSeconds } from '../governance/sequence.ts'
import type { Table } from '../../base/table/table.ts'
import { activeGovernance, lastSet } from '../governance/governance.ts'
import type { CompiledSet } from '../governance/conditions/compile.ts'
import type { Over } from '../governance/decide/evaluation.ts'
import type { PiiFound } from '../governance/pii/event.ts'
import type { Policy } from '../governance/policy.ts'
import type { Caller } from '../learned/learned-for.ts'
import type { Kind } from '../../base/catalog/kinds.ts'
import { actorsOf } from '../../ledger/conduct/conduct.ts'
import type { LoadedAction } from '../manifests/load.ts'
import type { Execution } from './execution.ts'

const DAY_S = 86_400

const states = entity({
  name: 'ACTOR',
  unbound: 'bounded',
  schema: z.looseObject({}),
  key: (of: Space & { actor: string }) => ({ pk: spaceKey(of, 'ACTOR', of.actor), sk: 'STATE' }),
})

/** The attribute of a policy's mark. */
const markOf = ({ policy_id }: Policy): string => `x${sha256Hex(policy_id).slice(0, 12)}`

/** Until when (Unix second) the mark of each policy with `after` holds. Nothing is read where there is none. */
export type RecentActions = ReadonlyMap<string, number>

/** The items of actors, by name. */
type States = ReadonlyMap<string, Record<string, unknown>>

async function readStates(table: Table, space: Space, actors: readonly string[]): Promise<States> {
  const found = await Promise.all(actors.map((actor) => table.get(states, { ...space, actor })))
  return new Map(actors.map((actor, index) => [actor, found[index] ?? {}]))
}

const keysIn = (all: readonly Sequenced[]): AfterKey[] =>
  AFTER_KEYS.filter((per) => all.some(({ after }) => after.per === per))

/** `ahead`: items that were read before actor and policies were certain; missing ones are read here. */
export async function readRecentActions(
  { table, space }: Context,
  set: CompiledSet,
  actor: Actor,
  ahead: States = new Map(),
): Promise<RecentActions> {
  const sequenced = sequencedIn(set)
  const actors = keysIn(sequenced).map((per) => actorFor(per, actor))
  const more = await readStates(
    table,
    space,
    actors.filter((name) => !ahead.has(name)),
  )
  return new Map(
    sequenced.map((policy) => {
      const name = actorFor(policy.after.per, actor)
      const found = ahead.get(name) ?? more.get(name)
      return [policy.policy_id, Number(found?.[markOf(policy)] ?? 0)]
    }),
  )
}

/**
 * Reads what policies with `after` will need, with the first reads of a request: by the policies that this container saw last, for
 * whom the credential was last seen to belong to.
 */
export async function readAhead(table: Table, space: Space, caller: Caller | undefined): Promise<States> {
  const set = caller && lastSet(space)
  if (!set) return new Map()
  const { kind: type, id, agent_id, persons = [] } = caller
  const bound = agent_id === undefined ? {} : { agent_id, agent_bound: true as const }
  const actor = { requested_by: { type, id }, persons: [...persons], trace_id: '', ...bound }
  const known = keysIn(sequencedIn(set)).filter((per) => per !== 'trace' && (per !== 'person' || persons.length > 0))
  return readStates(
    table,
    space,
    known.map((per) => actorFor(per, actor)),
  )
}

/** Which policies with `after` follow on a mark. */
export const followedNow = (marks: RecentActions, now: number): Over =>
  new Map([...marks].map(([policy_id, until]) => [policy_id, holds(until, now)]))

/** The marks that an action leaves when it runs. One that lasts long enough is not written again. */
export const recentActionsOf = (
  ctx: Context,
  set: CompiledSet,
  actor: Actor,
  ran: Ran,
  marks?: RecentActions,
): Write[] => writesOf(ctx, actor, sourceOf(sequencedIn(set), ran), marks)

/** The marks that an answer of a target leaves. The policies are read only where something was found in it. */
export async function recentOutputs(ctx: Context, actor: Actor, found: PiiFound | undefined): Promise<Write[]> {
  if (!found) return []
  const { set } = await activeGovernance(ctx.table, ctx.space)
  return writesOf(ctx, actor, answerOf(sequencedIn(set), Object.keys(found.types)))
}

function writesOf(
  ctx: Context,
  actor: Actor,
  sources: readonly Sequenced[],
  marks: RecentActions = new Map(),
): Write[] {
  const now = ctx.now() / 1_000
  const due = sources.filter(({ after, policy_id }) => isDue(after, marks.get(policy_id) ?? 0, now))
  const byKey = Map.groupBy(due, ({ after }) => after.per)
  return [...byKey].map(([per, policies]) => {
    const until = policies.map((policy) => [markOf(policy), lasts(policy.after, now)] as const)
    const _ttl = Math.ceil(now) + 2 * DAY_S
    return states.update({ ...ctx.space, actor: actorFor(per, actor) }, { set: { ...Object.fromEntries(until), _ttl } })
  })
}

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

/** The policies on whose behalf an answer leaves a mark, by the types of data that were found in it. */
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

/** Whether a mark that holds until a Unix second is in force at an instant (ms). */
export const holds = (until: number, at: number): boolean => at <= until * 1_000
