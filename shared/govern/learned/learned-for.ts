// What was learnt about one action, ready for the engine. None of it lowers a tier, but for the base tier of a routing rule
// that the chain proves, that was learnt on this very action, and whose time is not over.
import type { Context } from '../../base/context.ts'
import type { Tier } from '../../base/catalog/kinds.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import type { Persona } from '../governance/decide/tiers.ts'
import { isCurrent, type RoutingRule } from '../governance/stored-rules.ts'
import { endpointHash } from '../manifests/node.ts'
import type { LoadedAction } from '../manifests/load.ts'
import { USUAL_SLOT } from './learned.ts'
import { type LearnedReads, readConduct } from './read-learned.ts'
import { type Drawn, drawnIn, type Units } from './arm.ts'
import { type Standing, standingOfAll } from './trust.ts'

export type Learned = {
  /** Absent for a person alone. */
  standing?: Standing | undefined
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
  return standingOfAll(
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
