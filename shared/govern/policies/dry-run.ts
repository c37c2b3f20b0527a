// A dry run of a policy: checks it as if it were saved, and decides on past executions again with and without it. Nothing is
// stored.
import type * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { activeSettings, readRules } from '../governance/active.ts'
import type { Policy, PolicyBody } from '../governance/policy.ts'
import { type DryRun, governanceWith, replay } from './replay.ts'
import { checkBody, policyOf } from './save.ts'

export async function dryRun(ctx: Context, sent: PolicyBody, count: number): Promise<z.input<typeof DryRun>> {
  const rules = await readRules(ctx.table, ctx.space)
  const settings = await activeSettings(ctx.table, ctx.space)
  const { was, body, warnings } = await checkBody(ctx, sent, rules, settings)
  const others = rules.policies.filter((each) => each !== was && each.enabled).map(policyOf)
  const candidate: Policy = { ...body, policy_id: was?.policy_id ?? ctx.id('pol'), version: (was?.version ?? 0) + 1 }
  const before = governanceWith(settings, rules, was?.enabled ? [...others, policyOf(was)] : others)
  const after = governanceWith(settings, rules, candidate.enabled ? [...others, candidate] : others)
  return { valid: true, warnings, replay: await replay(ctx, count, before, after) }
}
