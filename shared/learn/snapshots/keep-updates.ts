// The hourly look at routing updates. One that was approved too long ago expires. One that loosens lapses with its time, and is
// suspended after a bad record. A rule that the evidence of its update does not prove is removed.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { alarm } from '../../base/lib/log.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import type { AffectedNodes } from '../../base/ports/effects.ts'
import { spaceKey, type Stored } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { wholeRange } from '../../base/table/whole.ts'
import { isProvenRule } from '../../govern/governance/proven-rule.ts'
import { type RoutingRule, routingRules } from '../../govern/governance/stored-rules.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { actionFacts } from '../routing/action-facts.ts'
import { endUpdate, freedTarget } from '../routing/move-update.ts'
import {
  isOfRule,
  learningPartition,
  moveUpdate,
  type RoutingUpdate,
  routingUpdates,
  updateTargets,
} from '../routing/update.ts'
import { figuresOf } from './figures.ts'
import { actionName, readObserved } from './read-observed.ts'
import { tightening } from './suggest.ts'

const TARGETS_MAX = 20_000
/** A new artifact gets its position within seconds. */
const NEW_MS = 5 * 60_000

const targetsOf = ({ table, space }: Context) =>
  wholeRange(table, updateTargets, { pk: learningPartition(space), prefix: 'TARGET#' }, TARGETS_MAX)
const rulesOf = ({ table, space }: Context) =>
  wholeRange(table, routingRules, { pk: spaceKey(space, 'ROUTING') }, TARGETS_MAX)

/** Most spaces have neither updates nor rules. */
export async function hasUpdates(ctx: Context): Promise<boolean> {
  const { table, space } = ctx
  const [targets, rules] = await Promise.all([
    table.keys({ pk: learningPartition(space), prefix: 'TARGET#', limit: 1 }),
    table.keys({ pk: spaceKey(space, 'ROUTING'), limit: 1 }),
  ])
  return targets.length + rules.length > 0
}

export async function keepUpdates(ctx: Context, affectedNodes: AffectedNodes): Promise<void> {
  const { table, space } = ctx
  for (const rule of await rulesOf(ctx)) await keepRule(ctx, rule)
  const ids = (await targetsOf(ctx)).flatMap(({ open, applied }) => [open, applied]).filter((id) => id !== undefined)
  const updates = await table.getAll(
    routingUpdates,
    ids.map((id) => ({ ...space, id })),
  )
  for (const update of updates) await keepUpdate(ctx, update, affectedNodes)
}

/** Somebody may have written it, or put back one that was suspended: decisions refuse the first, and this look the second. */
async function keepRule(ctx: Context, rule: Stored<RoutingRule>): Promise<void> {
  const { table, space } = ctx
  if (ctx.now() - timeOfId(rule.artifact_id) < NEW_MS) return
  const update = await table.get(routingUpdates, { ...space, id: rule.update_id })
  if (update?.artifact_id === rule.artifact_id && (await isProvenRule(ctx, rule))) return
  alarm('routing_rule_without_evidence', 'the table states a rule that is not the last word of its update', {
    node: rule.node_id,
    action: rule.action_id,
  })
  await table.commit([
    routingRules.remove(
      rule,
      {
        expression: '#_v = :was',
        names: { '#_v': '_v' },
        values: { ':was': rule._v },
      },
      new ChangedMeanwhile(),
    ),
  ])
}

async function keepUpdate(ctx: Context, { id }: RoutingUpdate, affectedNodes: AffectedNodes): Promise<void> {
  await retryWhenChanged(async () => {
    const was = await ctx.table.get(routingUpdates, { ...ctx.space, id })
    const now = iso(ctx.now())
    if (was?.status === 'approved' && was.expires_at !== undefined && was.expires_at <= now) return expire(ctx, was)
    if (was?.status !== 'applied' || !was.loosens || !isOfRule(was)) return
    if (was.valid_until !== undefined && was.valid_until <= now) return endUpdate(ctx, was, { status: 'lapsed' })
    const found = was.type === 'tier_change' ? await badRecord(ctx, was, affectedNodes) : undefined
    if (found) await endUpdate(ctx, was, { status: 'suspended', because: found })
  })
}

async function expire(ctx: Context, was: Stored<RoutingUpdate>): Promise<void> {
  const { write, transition } = moveUpdate(ctx, was, 'expired')
  await ctx.table.commit([write, ...(await freedTarget(ctx, was)), ...commitWith(ctx, [transition])])
}

/** Why the action's record since it was loosened calls for a stricter tier. */
async function badRecord(
  ctx: Context,
  update: RoutingUpdate,
  affectedNodes: AffectedNodes,
): Promise<string | undefined> {
  const { node_id = '', action_id = '', endpoint_sha256 = '', applied_at = '' } = update
  const facts = await actionFacts(ctx, { node_id, action_id })
  if (facts?.endpoint_sha256 !== endpoint_sha256) return undefined // the rule no longer loosens
  const from = Date.parse(applied_at)
  const [{ actions }, affected] = await Promise.all([
    readObserved(ctx, { from, to: ctx.now(), only: { node_id, action_id } }),
    affectedNodes(ctx, from),
  ])
  const observed = actions.get(actionName({ node_id, action_id, endpoint_sha256 }))?.observed ?? []
  return tightening({ ...facts, figures: figuresOf(observed), incident: affected.includes(node_id) })?.reason
}
