// The content of a snapshot, from what was observed.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { actionFacts } from '../routing/action-facts.ts'
import { calibrationOf, distributionOf, driftFrom } from '../statistics/drift.ts'
import { figuresOf } from './figures.ts'
import { actionName, type ObservedAction, type ObservedWindow } from './read-observed.ts'
import type { ActionSnapshot, Body, Content } from './snapshot.ts'
import { isUnread, suggestionFor } from './suggest.ts'
import { learnedItems, USUAL_SLOT } from '../../govern/learned/learned.ts'
import { trustView } from '../../govern/learned/trust-view.ts'
import { conducts } from '../../ledger/conduct/conduct.ts'

/** The busiest ones; an item of the table has room for these. */
const ACTIONS_MAX = 1_000
/** A bound that is looked at every day is met by luck some day. */
const CONFIRMED_MS = DAY_MS
const FEATURES = ['payload_bytes', 'confidence'] as const

/** `former`: the last snapshot of all nodes. `incident`: whether an incident of the window names the node. */
export async function compute(
  ctx: Context,
  { actions, actors, unproven }: ObservedWindow,
  { former, incident }: { former: Body | undefined; incident: (node_id: string) => boolean },
): Promise<Body> {
  const busiest = [...actions.values()]
    .toSorted((a, b) => b.observed.length - a.observed.length || (actionName(a) < actionName(b) ? -1 : 1))
    .slice(0, ACTIONS_MAX)
  const before = new Map(former?.actions.map((one) => [actionName(one), one]))
  const shown: ActionSnapshot[] = []
  for (const one of busiest)
    shown.push(await actionSnapshot(ctx, one, { was: before.get(actionName(one)), incident: incident(one.node_id) }))
  const drift = busiest.flatMap((one) => driftOf(one, former))
  const all = [...actions.values()].flatMap(({ observed }) => observed)
  const [agents, model] = await Promise.all([lowestStandings(ctx, actors), modelInUse(ctx)])
  return {
    agents,
    model,
    totals: totalsOf(all, unproven),
    actions: shown,
    calibration: calibrationOf(
      all.flatMap(({ score, decided }) =>
        score === undefined || !decided ? [] : { probability: score, happened: decided.verdict === 'approved' },
      ),
    ),
    drift,
    recommendations: recommendationsOf(shown, drift),
    distributions: Object.fromEntries(
      busiest.map((one) => [
        actionName(one),
        {
          payload_bytes: distributionOf(one.observed.map(({ payload_bytes }) => payload_bytes)),
          confidence: distributionOf(one.observed.map(({ confidence }) => confidence)),
        },
      ]),
    ),
  }
}

async function actionSnapshot(
  ctx: Context,
  { observed, ...named }: ObservedAction,
  { was, incident }: { was: ActionSnapshot | undefined; incident: boolean },
): Promise<ActionSnapshot> {
  const figures = figuresOf(observed)
  const facts = await actionFacts(ctx, named)
  const isSame = facts?.endpoint_sha256 === named.endpoint_sha256
  const found = isSame ? suggestionFor({ ...facts, figures, incident }) : undefined
  const isLoosening = found?.loosens === true
  const loosening_since = isLoosening ? (sameAs(was, found.reason) ?? iso(ctx.now())) : null
  const isConfirmed = loosening_since === null || ctx.now() - Date.parse(loosening_since) >= CONFIRMED_MS
  return {
    ...named,
    ...figures,
    current_tier: isSame ? facts.current_tier : null,
    floor_tier: isSame ? facts.floor_tier : null,
    suggested_tier: found && isConfirmed ? found.to : null,
    reason: found?.reason ?? null,
    loosening_since,
  }
}

/** Since when the same loosening was found without interruption. */
const sameAs = (was: ActionSnapshot | undefined, reason: string): string | undefined =>
  was?.reason === reason ? (was.loosening_since ?? undefined) : undefined

function totalsOf(all: ObservedAction['observed'], unproven: number): Content['totals'] {
  const is = (status: string) => all.filter((one) => one.status === status).length
  const decided = all.flatMap((one) => one.decided ?? [])
  const approvals = decided.filter(({ verdict }) => verdict === 'approved').length
  return {
    executions: all.length,
    decided: decided.length,
    approvals,
    rejections: decided.length - approvals,
    expired: is('expired'),
    undone: is('undone'),
    failed: is('failed'),
    unproven,
  }
}

function driftOf({ observed, ...named }: ObservedAction, former: Body | undefined): Content['drift'] {
  const { node_id, action_id } = named
  const before = former?.distributions[actionName(named)]
  if (!before) return []
  return FEATURES.flatMap((feature) => {
    const drift = driftFrom(
      before[feature],
      observed.map((one) => one[feature]),
    )
    return drift ? { node_id, action_id, feature, ...drift } : []
  })
}

function recommendationsOf(actions: readonly ActionSnapshot[], drift: Content['drift']): Content['recommendations'] {
  return [
    ...actions.filter(isUnread).map(({ node_id, action_id }) => ({
      code: 'approvals_not_read' as const,
      node_id,
      action_id,
      detail: 'More than half of its approvals are given within three seconds. Ask for fewer of them.',
    })),
    ...actions.flatMap(({ node_id, action_id, suggested_tier, current_tier, reason }) =>
      suggested_tier === null
        ? []
        : {
            code: 'change_tier' as const,
            node_id,
            action_id,
            detail: `From ${current_tier} to ${suggested_tier}: ${reason}.`,
          },
    ),
    ...drift
      .filter(({ drifted }) => drifted)
      .map(({ node_id, action_id, feature }) => ({
        code: 'drift' as const,
        node_id,
        action_id,
        detail: `Its ${feature} differs from the former snapshot.`,
      })),
  ]
}

// The trust of the actors of a snapshot's window, and the model that judged.

const SHOWN_MAX = 100
/** A caller that names a new agent with each request makes as many actors. */
const READ_MAX = 5_000

/** The actors with the lowest trust. */
async function lowestStandings(ctx: Context, actors: ReadonlySet<string>): Promise<Content['agents']> {
  const read = [...actors].toSorted().slice(0, READ_MAX)
  const known = await ctx.table.getAll(
    conducts,
    read.map((actor) => ({ ...ctx.space, actor })),
  )
  return known
    .map((conduct) => ({ actor: conduct.actor, ...trustView(conduct, ctx.now()) }))
    .toSorted((a, b) => a.trust - b.trust || (a.actor < b.actor ? -1 : 1))
    .slice(0, SHOWN_MAX)
}

/** The model in the usual slot now. */
async function modelInUse({ table, space }: Context): Promise<Content['model']> {
  const placed = (await table.get(learnedItems, space))?.slots[USUAL_SLOT]
  return placed ? { slot: USUAL_SLOT, model_id: placed.model_id, version: placed.version } : null
}
