// Decides on past executions again, under the present rules and under changed ones. Nothing is stored.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { contextOf } from '../executions/decide-again.ts'
import type { Execution } from '../executions/execution.ts'
import { latestExecutions } from '../executions/list.ts'
import { learnedAt } from '../executions/learned-then.ts'
import { openOrigin } from '../executions/origin.ts'
import { openSealed } from '../executions/open-execution.ts'
import { type Governance, moreRules, type StoredRules } from '../governance/active.ts'
import { compileSet } from '../governance/compile.ts'
import type { Policy } from '../governance/policy.ts'
import { policySetVersion } from '../governance/set-version.ts'
import { datesOf } from '../governance/stored-calendar.ts'
import { iso } from '../../base/lib/clock.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { findAction } from '../manifests/load.ts'
import type { Stored } from '../../base/table/entity.ts'
import { changesIn, type Past, warmFrom } from './changes.ts'

export const DryRun = z.object({
  valid: z.literal(true),
  warnings: z.array(z.string()),
  replay: z.object({
    evaluated: z.int(),
    changed: z.int(),
    /** Counts by change, such as `AUTO->HARD`. `REJECT` stands for a rejected action. */
    by_change: z.record(z.string(), z.int()),
    /** At most 20 request ids of changed executions. */
    samples: z.array(z.string()),
    /** Executions before it are decided on with a shorter history than the windows of the limits. */
    warm_from: z.string().optional(),
  }),
})

const replayed = z
  .string()
  .regex(/^\d{1,4}$/)
  .transform(Number)
  .pipe(z.number().max(1_000))

export const DryRunQuery = z.object({ dry_run: z.enum(['true', 'false']).optional(), replay: replayed.optional() })

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
  const executions = count > 0 ? await latestExecutions(ctx, count) : []
  const past = await inParallel(AT_ONCE, executions, (execution) => openPast(ctx, execution))
  const changed = await changesIn(ctx, past, before, after)
  const by_change: Record<string, number> = {}
  for (const { change } of changed) by_change[change] = (by_change[change] ?? 0) + 1
  const samples = changed.slice(0, SAMPLES_MAX).map(({ request_id }) => request_id)
  const warm = warmFrom(after, past)
  return {
    evaluated: executions.length,
    changed: changed.length,
    by_change,
    samples,
    ...(warm !== undefined && { warm_from: iso(warm) }),
  }
}

/** A past execution, ready to be decided on. The facts of an erased payload are missing. */
async function openPast(ctx: Context, execution: Stored<Execution>): Promise<Past | undefined> {
  const action = await findAction(ctx.table, ctx.space, execution.node_id, execution.action_id)
  if (!action) return undefined
  const at = timeOfId(execution.id)
  const { opened } = await openSealed(ctx, execution)
  const [learned, origin] = await Promise.all([learnedAt(ctx, execution, at), openOrigin(ctx, execution)])
  const question = {
    action,
    payload: opened.payload,
    asked: execution.asked,
    requester: { ...execution.requested_by, roles: origin?.roles, persons: execution.persons },
    origin,
    agent_id: execution.agent_id,
    agent_bound: execution.agent_bound,
    decision_contract_id: execution.decision_contract_id,
    context: contextOf(execution),
    frozen: [],
    learned,
    at,
  }
  return { execution, question }
}
