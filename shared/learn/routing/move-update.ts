// Ends an applied update without asking anybody: it only tightens. Its part of the rule is removed in the same commit.
import type { Context } from '../../base/context.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import { routingRules } from '../../govern/governance/stored-rules.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { ruleEvent, ruleWithout } from './rules.ts'
import { moveUpdate, type RoutingUpdate, type RuleUpdate, targetOf, updateTargets } from './update.ts'

type End = { status: 'suspended' | 'lapsed'; because?: string }

export async function endUpdate(ctx: Context, was: Stored<RuleUpdate>, { status, because }: End): Promise<void> {
  const { table, space } = ctx
  const { node_id = '', action_id = '' } = was
  const [stored, target] = await Promise.all([
    table.get(routingRules, { ...space, node_id, action_id }),
    table.get(updateTargets, { ...space, target: targetOf(was) }),
  ])
  const rule = stored && { ...ruleWithout(stored, was.type), update_id: was.id }
  const {
    item: update,
    write,
    transition,
  } = moveUpdate(ctx, was, status, { ended_because: because, rule_version: rule?.version }, rule ? { rule } : {})
  const events = rule ? [ruleEvent(update, rule.version)] : []
  const { artifact_id } = transition.artifact
  const writes: Write[] = [write, ...commitWith(ctx, [{ ...transition, events }])]
  if (rule) writes.push(routingRules.replace({ ...rule, artifact_id }, stored, new ChangedMeanwhile()))
  if (target?.applied === was.id)
    writes.push(updateTargets.replace({ ...target, applied: undefined }, target, new ChangedMeanwhile()))
  await table.commit(writes)
}

/** The target of an update that came to nothing takes another one. */
export async function freedTarget(ctx: Context, { id, ...update }: RoutingUpdate): Promise<Write[]> {
  const { table, space } = ctx
  const was = await table.get(updateTargets, { ...space, target: targetOf(update) })
  if (was?.open !== id) return []
  return [updateTargets.replace({ ...was, open: undefined }, was, new ChangedMeanwhile())]
}
