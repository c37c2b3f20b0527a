// What was learnt, as far as one decision needs it. All reads start at once and join those of policies and manifest.
import type { ActorKind, Space } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { type Requester, actorsOf } from '../../ledger/conduct/actors.ts'
import { type Conduct, conducts } from '../../ledger/conduct/conduct.ts'
import { type RoutingRule, routingRules } from '../governance/stored-rules.ts'
import { type PlacedModel, learnedItems } from './learned.ts'
import { seedOf } from './persona-seeds.ts'
import { PERSONA_KEY, personas, type StoredPersona } from './stored-persona.ts'

export type LearnedReads = {
  rule: RoutingRule | undefined
  slots: Readonly<Record<string, PlacedModel>>
  /** The persona that the request names. */
  persona_key: string | undefined
  /** Undefined, too, for one that nobody has. */
  persona: StoredPersona | undefined
  /** By actor; undefined for an actor that has none yet. An actor that is not here was not read. */
  conduct: ReadonlyMap<string, Conduct | undefined>
}

export type LearnedQuestion = {
  node_id: string
  action_id: string
  persona_key?: string | undefined
  /** Whose conduct counts. */
  actors: readonly string[]
}

/** `caller`: of the credential as it was last seen; the agent that the request names counts where none is bound to it. */
export const actorsAsked = (caller: Caller | undefined, stated: string | undefined): string[] =>
  caller ? actorsOf(requesterOf(caller, stated)) : []

export type Caller = {
  kind: ActorKind
  id: string
  agent_id?: string | undefined
  /** The first is accountable; absent where nobody knows yet. */
  persons?: readonly string[]
}

export const requesterOf = ({ kind: type, id, agent_id }: Caller, stated: string | undefined): Requester => ({
  type,
  id,
  agent_id: agent_id ?? stated,
  agent_bound: agent_id !== undefined,
})

export async function readLearned(table: Table, space: Space, question: LearnedQuestion): Promise<LearnedReads> {
  const { node_id, action_id, persona_key, actors } = question
  const [learned, rule, persona, conduct] = await Promise.all([
    table.get(learnedItems, space),
    table.get(routingRules, { ...space, node_id, action_id }),
    persona_key === undefined ? undefined : readPersona(table, space, persona_key),
    readConduct(table, space, actors),
  ])
  return { rule, slots: learned?.slots ?? {}, persona_key, persona, conduct }
}

/** The version in force. */
export async function readPersona(
  table: Table,
  space: Space,
  persona_key: string,
): Promise<(StoredPersona & Partial<Stored<object>>) | undefined> {
  if (!PERSONA_KEY.test(persona_key)) return undefined
  return (await table.get(personas, { ...space, persona_key })) ?? seedOf(space, persona_key)
}

export async function readConduct(table: Table, space: Space, actors: readonly string[]) {
  const found = await Promise.all(actors.map((actor) => table.get(conducts, { ...space, actor })))
  return new Map(actors.map((actor, index) => [actor, found[index]]))
}
