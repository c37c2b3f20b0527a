// One walk over the executions of a window for all checks that ask them. What a day has counted is never counted again, so a walk
// that is up to date reads what is new and what is still open.
import type { Context } from '../../base/context.ts'
import { daysBetween } from '../../base/lib/days.ts'
import type { Stored } from '../../base/table/entity.ts'
import { retryChange } from '../../base/kernel/retry.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { CHECKS } from '../catalogue/catalogue.ts'
import { EXECUTION_CHECKS } from '../checks/rules/executions.ts'
import { type Budget, type Walk, walkDay } from './walk-day.ts'
import { dayEnd, newDay, type WalkedDay, walkedDays, walkPartition } from './day.ts'
import { KnownActors } from './known-actors.ts'
import * as z from 'zod'
import type { Execution } from '../../govern/executions/execution.ts'
import { unpackEvaluations } from '../../govern/executions/evaluations.ts'
import { policies, policiesOf } from '../../govern/governance/stored-rules.ts'

/** Other runs may walk the same days. */
const TRIES = 20

/** GOV-05 uses the findings of the walk, so its version counts, too. */
const WALKED: readonly string[] = [...EXECUTION_CHECKS, 'GOV-05']

/** Which rules count now. */
const rulesNow = (): string =>
  CHECKS.filter(({ id }) => WALKED.includes(id))
    .map(({ id, version }) => `${id}@${version}`)
    .join()

/** From the day of `since` (ms) on. The run of `run_id` may need several messages, each with a budget of its own. */
type WalkAsk = { run_id: string; since: number; budget: Budget }

/** The days of the window, oldest first; undefined when the budget ended before. */
export async function walkExecutions(
  ctx: Context,
  { run_id, since, budget }: WalkAsk,
): Promise<WalkedDay[] | undefined> {
  const founded = Date.parse((await tenantOf(ctx.table, ctx.space.tenant_id)).created_at)
  const dates = daysBetween(Math.max(since, founded), ctx.now())
  const [from, to] = [dates[0] ?? '', dates.at(-1) ?? '']
  const range = { pk: walkPartition(ctx.space), from: `EXEC#${from}`, to: `EXEC#${to}` }
  const stored = new Map((await ctx.table.query(walkedDays, range)).map((day) => [day.date, day]))
  const walk: Walk = { run_id, budget, actors: new KnownActors(ctx), isViolation: await violationsOf(ctx) }
  const days: WalkedDay[] = []
  for (const date of dates) {
    const day = await bringUpToDate(ctx, date, { was: stored.get(date), walk })
    if (!day) return undefined
    days.push(day)
  }
  return days
}

type Known = { was: Stored<WalkedDay> | undefined; walk: Walk }

/** Undefined when the budget ended before. Of two runs at one day, the later one continues where the other one ended. */
function bringUpToDate(ctx: Context, date: string, { was: read, walk }: Known): Promise<WalkedDay | undefined> {
  return retryChange(TRIES, async (attempt) => {
    const was = attempt === 1 ? read : await ctx.table.get(walkedDays, { ...ctx.space, date })
    const { run_id } = walk
    const start = startOf(ctx, date, was, run_id)
    if (isUpToDate(start, run_id)) return start
    if (walk.budget.left === 0) return undefined
    const { day, isDone } = await walkDay(ctx, start, walk)
    const next = isDone ? { ...day, done_by: run_id } : day
    await ctx.table.commit([was ? walkedDays.replace(next, was) : walkedDays.insert(next)])
    return isDone ? next : undefined
  })
}

/** Where a day begins: anew when it was counted by other rules, or when it has more open ones than it could keep. */
function startOf(ctx: Context, date: string, was: WalkedDay | undefined, run_id: string): WalkedDay {
  const rules = rulesNow()
  const isSound = was?.rules === rules && (!was.overflown || was.begun_by === run_id)
  return was && isSound ? was : newDay(ctx.space, { date, rules, begun_by: run_id })
}

/** A run that needs several messages reads the open ones of a day once. */
const isUpToDate = (day: WalkedDay, run_id: string): boolean =>
  day.done_by === run_id || (day.read_to >= dayEnd(day.date) && day.open.length === 0 && day.again.length === 0)

const Severe = z.object({ severity: z.enum(['high', 'critical']) })

/**
 * At which executions a policy of high or critical severity fired, by the severity that each policy has now. Rules of the
 * service have none.
 */
async function violationsOf({ table, space }: Context): Promise<(execution: Execution) => boolean> {
  const all = await table.query(policies, policiesOf(space))
  const severe = new Set(
    all.filter(({ body }) => Severe.safeParse(JSON.parse(body)).success).map(({ policy_id }) => policy_id),
  )
  if (severe.size === 0) return () => false
  return ({ evaluations }) => {
    try {
      return unpackEvaluations(evaluations).some(({ policy_id, result }) => severe.has(policy_id) && fired(result))
    } catch {
      return true // people look at what cannot be read
    }
  }
}

/** A shadow policy does nothing, one that relaxes breaks nothing, and of an undecided one nobody knows. */
const fired = (result: string): boolean => result !== 'pass' && !/^(?:shadow:|relax:|indeterminate$)/.test(result)
