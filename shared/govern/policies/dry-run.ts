// Dry runs of a policy and of words: checks them as if they were saved, and decides on past executions again with and without them.
// Nothing is stored.
import type * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { activeSettings, readRules } from '../governance/governance.ts'
import { type Policy, type PolicyBody, policyOf } from '../governance/policy.ts'
import { lexiconWarnings } from '../governance/words/tenant-words.ts'
import type { DryRun } from './dry-run-view.ts'
import { governanceWith, replay } from './replay.ts'
import { checked, type LexiconBody } from './lexicon.ts'
import { checkBody } from './policy-change.ts'

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

/** What past executions would become with the words. Nothing is stored. */
export async function tryLexicon(ctx: Context, body: LexiconBody, count: number) {
  const lexicon = checked(body)
  const rules = await readRules(ctx.table, ctx.space)
  const settings = await activeSettings(ctx.table, ctx.space)
  const policies = rules.policies.map(policyOf).filter(({ enabled }) => enabled)
  const before = governanceWith(settings, rules, policies)
  const after = governanceWith(settings, rules, policies, { lexicon })
  return {
    valid: true as const,
    warnings: lexiconWarnings(lexicon),
    replay: await replay(ctx, count, before, after),
  }
}
