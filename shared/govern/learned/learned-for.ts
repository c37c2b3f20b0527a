// What was learnt about one action, ready for the engine, and the reads for it, which start together with those of policies and manifest.
// None of it lowers a tier, but for the base tier of a routing rule that the chain proves, that was learnt on this very action, and whose
// time is not over.
import type { ActorKind, Context, Space } from '../../base/context.ts'
import type { Tier } from '../../base/catalog/kinds.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { Persona } from '../governance/decide/tiers.ts'
import { isCurrent, type RoutingRule, routingRules } from '../governance/stored-rules.ts'
import { endpointHash } from '../manifests/node.ts'
import type { LoadedAction } from '../manifests/load.ts'
import {
  type Drawn,
  drawnIn,
  learnedItems,
  type PlacedModel,
  type TrustRecord,
  trustRecordOfAll,
  type Units,
  USUAL_SLOT,
} from './learned.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { actorsOf, type Conduct, conducts, type Requester } from '../../ledger/conduct/conduct.ts'
import { PERSONA_KEY, personas, seedOf, type StoredPersona } from './persona.ts'

export type Learned = {
  /** Absent for a person alone. */
  standing?: TrustRecord | undefined
  /** `holds`: it may replace the base tier also by a looser one. */
  routing?: { update_id: string; base_tier?: Tier | undefined; holds: boolean } | undefined
  /** Below which probability the model raises, where a rule says so. */
  raise_below?: number | undefined
  persona?: Persona | undefined
  /** `probability` is absent when the model could not be read. */
  model?: LearnedModel | undefined
}

type LearnedModel = {
  slot: string
  version: number
  probability?: number | undefined
  shadow?: Shadow | undefined
  /** The arm of a live test, whose model this is. */
  drawn?: Drawn | undefined
}

/** The other model of a test: it judges too, and changes nothing. */
export type Shadow = { test_id: string; version: number; probability?: number | undefined }

/** What is decided on. `payload` is null once it is erased: then no model judges it. */
type About = {
  action: LoadedAction
  payload: JsonObject | null
  actors: readonly string[]
  raise_below: number
  units: Units
}

export async function learnedFor(ctx: Context, reads: LearnedReads, about: About): Promise<Learned> {
  const [standing, rule, model] = await Promise.all([
    standingNow(ctx, reads, about.actors),
    reads.rule && ruleFor(ctx, reads.rule, about),
    modelFor(ctx, reads, about),
  ])
  return { standing, persona: reads.persona, model, ...rule }
}

/** A container may remember another actor of the credential than it has now; then their conduct is read. */
async function standingNow(ctx: Context, { conduct }: LearnedReads, actors: readonly string[]) {
  const missing = actors.filter((actor) => !conduct.has(actor))
  const more = missing.length > 0 ? await readConduct(ctx.table, ctx.space, missing) : undefined
  return trustRecordOfAll(
    actors.map((actor) => conduct.get(actor) ?? more?.get(actor)),
    ctx.now(),
  )
}

async function ruleFor(ctx: Context, rule: RoutingRule, { action: { endpoint }, raise_below: usual }: About) {
  const isIts = isCurrent(rule, { endpoint_sha256: endpointHash(endpoint), at: ctx.now() })
  const { isProvenRule } = await import('../governance/proven-rule.ts') // few actions have a rule
  const holds = isIts && (await isProvenRule(ctx, rule))
  const { update_id, base_tier, raise_below = usual } = rule
  return {
    routing: { update_id, base_tier, holds },
    raise_below: holds ? raise_below : Math.max(raise_below, usual),
  }
}

/** The slot of the persona, else the usual one; undefined where it is empty. */
async function modelFor(
  ctx: Context,
  { persona, slots }: LearnedReads,
  { action, payload, units }: About,
): Promise<LearnedModel | undefined> {
  const slot = persona?.model_slot ?? USUAL_SLOT
  const placed = slots[slot]
  if (!placed || !payload) return undefined
  const { scoreAction } = await import('./score-action.ts') // loaded with the first model
  const { test } = placed
  if (test && !test.shadow) {
    const drawn = drawnIn(ctx, test, units)
    const acting = drawn.arm === 'b' ? test : placed
    const probability = await scoreAction(ctx, acting, { action, payload })
    return { slot, version: acting.version, probability, drawn }
  }
  const [probability, other] = await Promise.all([
    scoreAction(ctx, placed, { action, payload }),
    test && scoreAction(ctx, test, { action, payload }),
  ])
  const shadow = test && { test_id: test.id, version: test.version, probability: other }
  return { slot, version: placed.version, probability, ...(shadow && { shadow }) }
}

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
