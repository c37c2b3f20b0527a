// Counts the executions requested on one day: each once, when it has run or ended.
import type { Context } from '../../base/context.ts'
import { firstId } from '../../base/lib/ids.ts'
import { type Execution, executions, LIST_SHARDS, listPartition } from '../../govern/executions/execution.ts'
import { readable } from '../../ledger/evidence/artifact/readable.ts'
import { EXECUTION_CHECKS, EXECUTION_RULES, type ExecutionFacts } from '../checks/rules/executions.ts'
import type { Budget } from './budget.ts'
import { dayEnd, type WalkedDay } from './day.ts'
import { factsOf } from './execution-facts.ts'
import type { KnownActors } from './known-actors.ts'
import { isSettled } from './settled.ts'
import { counted, EMPTY } from './tally.ts'

/** Ids of two machines may be out of order by as much as their clocks differ, and the index may lag. */
export const LAG_MS = 5 * 60_000
/** Ids of one query, and executions of one read. */
const PAGE = 500
const OPEN_MAX = 5_000
const VIOLATIONS_MAX = 5_000

export type Walk = {
  run_id: string
  actors: KnownActors
  budget: Budget
  /** Whether a policy of high or critical severity fired. */
  isViolation: (execution: Execution) => boolean
}

/** The day as it is counted by now or, when the budget ends before, as far as that. */
export async function walkDay(ctx: Context, was: WalkedDay, walk: Walk): Promise<{ day: WalkedDay; isDone: boolean }> {
  const day = structuredClone(was)
  if (day.at_it !== walk.run_id) day.again.push(...day.open.splice(0))
  day.at_it = walk.run_id
  await countIds(ctx, day, day.again.splice(0, walk.budget.left), walk)
  const to = Math.min(dayEnd(day.date), ctx.now() - LAG_MS)
  let isDone = day.again.length === 0
  for (let shard = 0; shard < LIST_SHARDS && isDone && day.read_to < to; shard += 1) {
    isDone = await walkShard(ctx, day, { shard, to, walk })
  }
  if (isDone) day.read_to = Math.max(day.read_to, to)
  return { day, isDone }
}

type Shard = { shard: number; to: number; walk: Walk }

/** False when the budget ended before the shard did. */
async function walkShard(ctx: Context, day: WalkedDay, { shard, to, walk }: Shard): Promise<boolean> {
  const pk = listPartition(ctx.space, day.date.slice(0, 7), shard)
  const range = {
    pk,
    index: 'gsi1',
    from: firstId('exe', Date.parse(day.date)),
    to: firstId('exe', to),
    limit: PAGE,
  } as const
  for (;;) {
    if (walk.budget.left === 0) return false
    const keys = await ctx.table.keys({ ...range, after: day.cursors[shard] || undefined })
    const ids = keys.map(({ sort }) => sort)
    await countIds(ctx, day, ids, walk)
    day.cursors[shard] = ids.at(-1) ?? day.cursors[shard] ?? ''
    if (ids.length < PAGE) return true
  }
}

/** Adds those that are settled to the day, and keeps the others for the next time. */
async function countIds(ctx: Context, day: WalkedDay, ids: readonly string[], walk: Walk): Promise<void> {
  for (let from = 0; from < ids.length; from += PAGE) {
    const keys = ids.slice(from, from + PAGE).map((id) => ({ ...ctx.space, id }))
    walk.budget.take(keys.length)
    const found = (await ctx.table.getAll(readable(executions), keys)).filter((one) => one !== undefined)
    const settled = found.filter((one) => isSettled(one, ctx.now()))
    for (const facts of await factsOf(ctx, settled, walk.actors)) count(day, facts)
    addViolations(day, settled.filter(walk.isViolation))
    day.open.push(...found.filter((one) => !settled.includes(one)).map(({ id }) => id))
  }
  if (day.open.length + day.again.length <= OPEN_MAX) return
  day.open.splice(Math.max(0, OPEN_MAX - day.again.length))
  day.overflown = true
}

function count({ tallies }: WalkedDay, facts: ExecutionFacts): void {
  for (const check of EXECUTION_CHECKS) {
    const holds = EXECUTION_RULES[check](facts)
    if (holds !== undefined) tallies[check] = counted(tallies[check] ?? EMPTY, facts.execution.id, holds)
  }
}

function addViolations(day: WalkedDay, found: readonly Execution[]): void {
  const kept = found.slice(0, VIOLATIONS_MAX - day.violations.length).map(({ id }) => id)
  day.violations.push(...kept)
  day.violations_more += found.length - kept.length
}
