// Counts the executions requested on one day: each once, when it has run or ended. The facts that the rules ask for are read by
// key and in bulk.
import type { Context } from '../../base/context.ts'
import { firstId } from '../../base/lib/ids.ts'
import {
  type Execution,
  executions,
  LIST_SHARDS,
  listPartition,
  RoutingDecision,
} from '../../govern/executions/execution.ts'
import { readable } from '../../ledger/evidence/artifact/artifact.ts'
import { EXECUTION_CHECKS, EXECUTION_RULES, type ExecutionFacts, type GrantFacts } from '../checks/rules/executions.ts'
import { countedOfDay, dayEnd, EMPTY, type WalkedDay } from './day.ts'
import type { KnownActors } from './known-actors.ts'
import { HOUR_MS } from '../../base/lib/clock.ts'
import { isUnderWay } from '../../govern/executions/states.ts'
import type { Readable } from '../../base/table/table.ts'
import { approvals } from '../../govern/approvals/approval.ts'
import { type Grant, grantById, grants, isGrantFor } from '../../govern/approvals/grants/grant.ts'
import { requestsUnder } from '../../govern/approvals/grants/list.ts'
import { piiEvents } from '../../govern/governance/pii/event.ts'

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
    if (holds !== undefined) tallies[check] = countedOfDay(tallies[check] ?? EMPTY, facts.execution.id, holds)
  }
}

function addViolations(day: WalkedDay, found: readonly Execution[]): void {
  const kept = found.slice(0, VIOLATIONS_MAX - day.violations.length).map(({ id }) => id)
  day.violations.push(...kept)
  day.violations_more += found.length - kept.length
}

/** Whether it has run or ended, so that it can be counted: once, although a few of these states may still change. */
function isSettled({ status, artifacts }: Pick<Execution, 'status' | 'artifacts'>, now: number): boolean {
  const since = Date.parse(artifacts.at(-1)?.at ?? '')
  return !isUnderWay(status) || (status === 'executing' && !(now - since <= HOUR_MS))
}

/** How many items one message may still read. */
export class Budget {
  #left: number

  constructor(items: number) {
    this.#left = items
  }

  /** Counts what was read, which may be a little more than was left. */
  take(items: number): void {
    this.#left -= items
  }

  get left(): number {
    return Math.max(0, this.#left)
  }
}

/** The facts of executions that the rules ask for, in the order of the executions. */
export async function factsOf(ctx: Context, all: readonly Execution[], actors: KnownActors): Promise<ExecutionFacts[]> {
  const ids = (some: readonly (string | undefined)[]) =>
    some.filter((id) => id !== undefined).map((id) => ({ ...ctx.space, id }))
  const inputs = all.map(({ id }) => ({ ...ctx.space, execution_id: id, direction: 'input' as const }))
  const given = await grantsUnder(ctx, all)
  const [held, undone, personal, under] = await Promise.all([
    read(ctx, approvals, ids([...all.map((one) => one.held?.id), ...given.map((one) => one.approval_id)])),
    read(ctx, executions, ids(all.map((one) => one.undo_of))),
    read(ctx, piiEvents, inputs),
    requestsUnder(
      ctx,
      given.map(({ id }) => id),
    ),
    actors.lookUp(all.map((one) => one.requested_by)),
  ])
  const approvalOf = new Map(held.map((one) => [one.id, one]))
  const grantBy = new Map(given.map((one) => [one.id, one]))
  const undoneBy = new Map(undone.map((one) => [one.id, one]))
  const external = new Set(personal.filter((one) => one.external).map((one) => one.execution_id))
  const grantUnder = (execution: Execution): GrantFacts | undefined => {
    const { id, grant_id } = execution
    const grant = grantBy.get(grant_id ?? '')
    if (grant && !isGrantFor(grant, execution)) return undefined
    const requests = under.get(grant_id ?? '')
    const uses = Math.max(grant?.uses ?? 0, requests?.size ?? 0)
    const approval = approvalOf.get(grant?.approval_id ?? '')
    return grant && { ...grant, uses, used: requests?.has(id) === true, revoked_at: grant.revoked_at, approval }
  }
  return all.map((execution) => {
    return {
      execution,
      ...decisionOf(execution),
      approval: approvalOf.get(execution.held?.id ?? ''),
      grant: grantUnder(execution),
      undone: undoneBy.get(execution.undo_of ?? ''),
      known: actors.has(execution.requested_by),
      external: external.has(execution.id),
    }
  })
}

/** One that cannot be read asks for an approval. */
function decisionOf({ routing }: Execution): Pick<ExecutionFacts, 'tier' | 'signals'> {
  const { success, data } = RoutingDecision.safeParse(jsonOf(routing))
  return success
    ? { tier: data.tier, signals: data.reasons.map(({ signal }) => signal) }
    : { tier: 'HARD', signals: [] }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The grants that the executions name, whose place depends on their payloads. */
async function grantsUnder({ table, space }: Context, all: readonly Execution[]): Promise<Grant[]> {
  const ids = new Set(all.flatMap(({ grant_id }) => grant_id ?? []))
  const found = await Promise.all([...ids].map((id) => table.query(readable(grants), grantById(space, id))))
  return found.flat().filter((one) => one !== undefined)
}

/** An item that breaks its schema counts as missing. */
async function read<T, K>({ table }: Context, of: Readable<T, K>, keys: readonly NoInfer<K>[]): Promise<T[]> {
  return (await table.getAll(readable(of), keys)).filter((one) => one !== undefined)
}
