// Decides on past executions again, under the present rules and under changed ones. Nothing is stored.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { latestExecutions } from '../executions/list.ts'
import { lasts } from '../executions/recent-actions.ts'
import { type Governance, moreRules, type StoredRules } from '../governance/governance.ts'
import { compileSet } from '../governance/conditions/compile.ts'
import { windowSeconds } from '../governance/rule-terms.ts'
import type { Policy } from '../governance/policy.ts'
import { datesOf, policySetVersion } from '../governance/stored-rules.ts'
import { type Change, changesIn } from './changes.ts'
import { openPast, type Past } from './past.ts'

const AT_ONCE = 8
const SAMPLES_MAX = 20

/** What decisions would use. `more`: what differs from the stored rules beside the policies. */
export function governanceWith(
  settings: Governance['settings'],
  rules: StoredRules,
  policies: readonly Policy[],
  more: Pick<Governance, 'lexicon'> = moreRules(rules),
): Governance {
  return {
    policy_set_version: policySetVersion(policies, settings, { ...moreRules(rules), ...more }),
    settings,
    set: compileSet(policies, datesOf(rules.calendars)),
    lexicon: more.lexicon,
  }
}

/** The decisions on the latest `count` executions that would differ. */
export async function replay(ctx: Context, count: number, before: Governance, after: Governance) {
  const { items, complete } = count > 0 ? await latestExecutions(ctx, count) : { items: [], complete: true }
  const opened = await inParallel(AT_ONCE, items, (execution) => openPast(ctx, execution))
  const past = opened.filter((each) => each !== undefined)
  const changed = await changesIn(ctx, past, before, after)
  const by_change: Record<string, number> = {}
  for (const { change } of changed) by_change[change] = (by_change[change] ?? 0) + 1
  return {
    evaluated: items.length,
    changed: changed.length,
    by_change,
    samples: changed.slice(0, SAMPLES_MAX).map(({ request_id }) => request_id),
    ...(!complete && warmingOf(past, changed, lookBack(before, after))),
  }
}

/** How far (ms) policies look back. */
function lookBack(...courses: readonly Governance[]): number {
  const policies = courses.flatMap(({ set }) => set.policies.map(({ policy }) => policy))
  return Math.max(0, ...policies.flatMap(({ limit, after }) => [limitLooks(limit), afterLooks(after)]))
}
const limitLooks = (limit: Policy['limit']) => (limit ? windowSeconds(limit.window) * 1_000 : 0)
const afterLooks = (after: Policy['after']) => (after ? lasts(after, 0) * 1_000 : 0)

/** What came so early that the history before it, which is not read, may speak of it. */
function warmingOf(past: readonly Past[], changed: readonly Change[], looks: number) {
  if (looks === 0 || past.length === 0) return {}
  const warm = Math.min(...past.map(({ question }) => question.at)) + looks
  const evaluated = past.filter(({ question }) => question.at < warm).length
  return { warm_from: iso(warm), warming: { evaluated, changed: changed.filter(({ at }) => at < warm).length } }
}
