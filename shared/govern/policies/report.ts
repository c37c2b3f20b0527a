// What a policy did in a window, or would have done if it only watches: from the counts of the event log, never from the path of
// a request.
import * as z from 'zod'
import { policyOf } from '../governance/policy.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure, notFound } from '../../base/lib/failure.ts'
import { countedUntil } from '../../ledger/fold/fold.ts'
import { positionOf } from '../../ledger/fold/folder.ts'
import { type HitPeriod, HITS_FOLDER, type HitSum, newestHits, PERIODS, readSums } from '../../ledger/hits/hit.ts'
import { policies } from '../governance/stored-rules.ts'
import { type Approval, approvals } from '../approvals/approval.ts'
import { executions } from '../executions/execution.ts'

const count = z.int()

const ApprovalsReport = z.object({
  would_add: count.describe('Actions that it turned, or would turn, into approvals.'),
  looked_up: count.describe('So many of the newest executions were looked up for the figures below.'),
  asked: count.describe('How many of them asked people for approval.'),
  approved: count.describe('Approvals that people gave.'),
  rejected: count.describe('Approvals that were refused.'),
  expired: count.describe('Approvals that nobody decided in time.'),
  waiting: count.describe('How many still wait.'),
  median_wait_s: z.number().nullable().describe('Half of them were decided within so many seconds; null without any.'),
  p90_wait_s: z.number().nullable().describe('Nine of ten were decided within so many seconds; null without any.'),
  waits_of: count.describe('How many decided approvals the waits are of.'),
})

export const PolicyReport = z.object({
  policy_id: z.string().describe('Id of the policy.'),
  version: z.int().describe('The present version of the policy. The window may hold results of former ones.'),
  mode: z.enum(['enforce', 'shadow']).describe('`shadow` only reports what the policy would do.'),
  window: z.string().describe('The window that was asked for.'),
  from: z.string().describe('When the window begins: with a whole hour or day.'),
  complete_until: z.string().describe('Everything before this time is counted.'),
  executions: count.describe('All executions of the window, whatever the policy did.'),
  fired: count.describe('How often the policy acted, or would have acted.'),
  is_lower_bound: z.literal(true).optional().describe('There are more agents and actions than were counted.'),
  by_result: z.record(z.string(), count).describe('How often each result other than `pass`.'),
  by_basis: z
    .object({
      true: count.describe('Its condition was true.'),
      unknown: count.describe('A fact was missing, so that its condition was unknown.'),
    })
    .describe('Why it did not pass.'),
  by_change: z.record(z.string(), count).describe('The number of decisions for each change, such as `AUTO->HARD`.'),
  by_action: z
    .array(
      z.object({
        node_id: z.string().describe('Id of the node.'),
        action_id: z.string().describe('Id of the action in its manifest.'),
        fired: count.describe('How often the policy acted on it.'),
      }),
    )
    .describe('The actions on which the policy acted most, at most 20.'),
  by_agent: z
    .array(
      z.object({
        agent_id: z
          .string()
          .nullable()
          .describe('The agent of the request, else its key or client; null for a person.'),
        fired: count.describe('How often the policy acted on it.'),
      }),
    )
    .describe('The agents on which the policy acted most, at most 20.'),
  by_day: z
    .array(
      z.object({
        date: z.string().describe('The day in UTC.'),
        fired: count.describe('How often the policy acted that day.'),
      }),
    )
    .describe('How often it acted, day by day.'),
  samples: z.array(z.string()).describe('Ids of the newest executions that it did not let pass.'),
  approvals: ApprovalsReport.describe('What the policy costs the people who approve.'),
})

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Windows begin with a whole hour or day, since sums are kept by these. */
const WINDOWS: Record<string, { ms: number; period: HitPeriod }> = {
  '1h': { ms: HOUR, period: 'hours' },
  '24h': { ms: DAY, period: 'hours' },
  '7d': { ms: 7 * DAY, period: 'days' },
  '30d': { ms: 30 * DAY, period: 'days' },
}
const LISTED = 20
/** Approvals are looked up for so many of the newest executions. */
const LOOKED_UP = 1_000

/** Counts all executions from one instant (ms) until another. */
export type CountExecutions = (span: { from: number; until: number }) => Promise<number>

/** What a policy did in a window. Throws 404 for an unknown policy, 422 for a window that is not offered. */
export async function policyReport(
  ctx: Context,
  { policy_id, window = '24h' }: { policy_id: string; window?: string | undefined },
  countExecutions: CountExecutions,
): Promise<z.input<typeof PolicyReport>> {
  const stored = await ctx.table.get(policies, { ...ctx.space, policy_id })
  if (!stored) throw notFound('policy')
  const length = Object.hasOwn(WINDOWS, window) ? WINDOWS[window] : undefined
  if (!length) throw refusedWindow()
  const until = await countedUntil(ctx, await positionOf(ctx, HITS_FOLDER))
  const unit = PERIODS[length.period].ms
  const from = Math.floor((until - length.ms) / unit) * unit
  const [{ sums, complete }, newest, requested] = await Promise.all([
    readSums(ctx, policy_id, { period: length.period, from }),
    newestHits(ctx, policy_id, { from, limit: LOOKED_UP }),
    // Executions of the minutes since `until` that were counted already are in both.
    countExecutions({ from, until: Math.ceil(ctx.now() / 60_000) * 60_000 }),
  ])
  const by_change = summed(sums.flatMap(changesOf))
  return {
    policy_id,
    version: stored.version,
    mode: policyOf(stored).mode,
    window,
    from: iso(from),
    complete_until: iso(until),
    executions: requested,
    fired: firedIn(sums),
    ...(!complete && { is_lower_bound: true as const }),
    by_result: summed(sums.map(({ result, n }) => [result, n])),
    by_basis: basesOf(sums),
    by_change,
    by_action: busiest(sums, ({ node_id, action_id }) => ({ node_id, action_id })),
    by_agent: busiest(sums, ({ agent_id = null }) => ({ agent_id })),
    by_day: Object.entries(summed(sums.map((one) => [one.sk.slice(0, 10), firedIn([one])]))).map(([date, fired]) => ({
      date,
      fired,
    })),
    samples: newest.slice(0, LISTED),
    approvals: await approvalsReport(ctx, newest, by_change),
  }
}

const refusedWindow = () =>
  new Failure('invalid', [
    { loc: ['query', 'window'], msg: `must be one of ${Object.keys(WINDOWS).join(', ')}`, type: 'value_error' },
  ])

/** One whose loosening is unknown has not acted. */
const firedIn = (sums: readonly HitSum[]): number =>
  sums.reduce((fired, { result, n }) => fired + (result.endsWith('indeterminate') ? 0 : n), 0)

function basesOf(sums: readonly HitSum[]) {
  const all = sums.reduce((sum, { n }) => sum + n, 0)
  const unknown = sums.reduce((sum, one) => sum + (one.unknown ?? 0), 0)
  return { true: all - unknown, unknown }
}

const changesOf = (sum: HitSum) =>
  Object.entries(sum).filter(
    (entry): entry is [string, number] => entry[0].includes('->') && typeof entry[1] === 'number',
  )

function summed(entries: readonly (readonly [name: string, by: number])[]): Record<string, number> {
  const sums = new Map<string, number>()
  for (const [name, by] of entries) sums.set(name, (sums.get(name) ?? 0) + by)
  return Object.fromEntries([...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** Those with the most, at most `LISTED`. */
function busiest<G extends object>(sums: readonly HitSum[], groupOf: (sum: HitSum) => G): (G & { fired: number })[] {
  const groups = Map.groupBy(sums, (sum) => JSON.stringify(groupOf(sum)))
  return [...groups.values()]
    .flatMap((members) => members.slice(0, 1).map((one) => ({ ...groupOf(one), fired: firedIn(members) })))
    .filter(({ fired }) => fired > 0)
    .toSorted((one, other) => other.fired - one.fired)
    .slice(0, LISTED)
}

/** What a policy costs the people who approve: counted over the newest executions that it did not let pass. */
async function approvalsReport(
  { table, space }: Context,
  ids: readonly string[],
  changes: Readonly<Record<string, number>>,
): Promise<z.input<typeof ApprovalsReport>> {
  const found = await table.getAll(
    executions,
    ids.map((id) => ({ ...space, id })),
  )
  const asked = found.flatMap(({ held }) => (held ? [{ ...space, id: held.id }] : []))
  const all = await table.getAll(approvals, asked)
  const of = (status: Approval['status']) => all.filter((one) => one.status === status).length
  const waits = all.flatMap(waitOf).toSorted((one, other) => one - other)
  return {
    would_add: (changes['AUTO->HARD'] ?? 0) + (changes['SOFT->HARD'] ?? 0),
    looked_up: ids.length,
    asked: asked.length,
    approved: of('approved'),
    rejected: of('rejected'),
    expired: of('expired'),
    waiting: of('pending'),
    median_wait_s: quantile(waits, 0.5),
    p90_wait_s: quantile(waits, 0.9),
    waits_of: waits.length,
  }
}

/** Seconds from the question to the answer of people. */
const waitOf = ({ status, requested_at, decided_at }: Approval): number[] =>
  decided_at !== undefined && (status === 'approved' || status === 'rejected')
    ? [Math.round((Date.parse(decided_at) - Date.parse(requested_at)) / 1_000)]
    : []

/** The nearest rank. */
const quantile = (ordered: readonly number[], share: number): number | null =>
  ordered[Math.max(0, Math.ceil(share * ordered.length) - 1)] ?? null
