// Whether every state has its evidence: integrity says that nothing in the chain was changed, completeness that nothing is
// missing from it. Executions hold the ids and hashes of their artifacts, decided approvals lead to their execution.
import { approvals, statusPartition } from '../approvals/approval.ts'
import type { Context } from '../context.ts'
import { executions, LIST_SHARDS, listPartition } from '../executions/execution.ts'
import { monthsBack } from '../executions/list.ts'
import { iso } from '../lib/clock.ts'
import type { Key } from '../table/entity.ts'
import { tenantOf } from '../tenants/find.ts'
import { artifactIdOf, artifactKey, artifacts } from './artifact.ts'
import { type Decided, missingOf, missingOfDecision } from './completeness-rules.ts'
import { readable } from './readable.ts'
import type { Part } from './verify-queue.ts'
import type { Completeness } from './verify-state.ts'

const PAGE = 500
/** Items of one message: some seconds of work. */
const ITEMS_MAX = 25_000
const DECIDED: readonly Decided[] = ['approved', 'rejected', 'expired', 'cancelled']

type Position = Extract<Part, { kind: 'completeness' }>

/** Goes through all lists from a position on. Answers the verdict, or where the next message goes on. */
export async function checkCompleteness(
  ctx: Context,
  start: Position,
): Promise<{ next: Position } | { broken: []; completeness: Completeness }> {
  const lists = await listsOf(ctx)
  let { list, after, missing } = start
  for (let seen = 0; list < lists.length;) {
    if (seen >= ITEMS_MAX) return { next: { kind: 'completeness', list, after, missing } }
    const page = await lists[list]?.(after)
    missing += page?.missing ?? 0
    seen += page?.count ?? 0
    after = page?.after
    if (after === undefined) list += 1
  }
  const result = missing > 0 ? 'gaps' : 'complete'
  return { broken: [], completeness: { result, checked_at: iso(ctx.now()), missing } }
}

/** Reads one page of an index partition and counts the artifacts that its items lack; `after` is where the next begins. */
type List = (after: string | undefined) => Promise<{ count: number; missing: number; after: string | undefined }>

async function listsOf(ctx: Context): Promise<List[]> {
  const { created_at } = await tenantOf(ctx.table, ctx.space.tenant_id)
  // From the oldest month on, so that positions stay what they are when a month begins.
  const months = monthsBack(ctx.now(), Date.parse(created_at)).toReversed()
  const shards = Array.from({ length: LIST_SHARDS }, (_, shard) => shard)
  return [
    ...DECIDED.map((status) =>
      pages(ctx, statusPartition(ctx.space, status), (keys) => ofDecisions(ctx, status, keys)),
    ),
    ...months.flatMap((month) =>
      shards.map((shard) => pages(ctx, listPartition(ctx.space, month, shard), (keys) => ofExecutions(ctx, keys))),
    ),
  ]
}

const pages =
  (ctx: Context, pk: string, missingAmong: (keys: readonly Key[]) => Promise<number>): List =>
  async (from) => {
    const keys = await ctx.table.keys({ pk, index: 'gsi1', after: from, limit: PAGE })
    const after = keys.length < PAGE ? undefined : keys.at(-1)?.sort
    return { count: keys.length, missing: await missingAmong(keys), after }
  }

async function ofExecutions(ctx: Context, keys: readonly Key[]): Promise<number> {
  const found = await ctx.table.read(readable(executions), keys)
  const ids = found.flatMap((one) => one?.artifacts.map(({ artifact_id }) => artifact_id) ?? [])
  const stored = await ctx.table.read(
    readable(artifacts),
    ids.map((id) => artifactKey(ctx.space, id)),
  )
  const items = stored.filter((item) => item !== undefined)
  const byId = new Map(items.map((item) => [artifactIdOf(item.sk), item]))
  // An execution that lost its shape proves nothing any more.
  return sum(found.map((one) => (one ? missingOf(one, byId, ctx.now()) : 1)))
}

async function ofDecisions(ctx: Context, status: Decided, keys: readonly Key[]): Promise<number> {
  const found = (await ctx.table.read(readable(approvals), keys)).filter((one) => one !== undefined)
  const requests = await ctx.table.getAll(
    readable(executions),
    found.map(({ request_id }) => ({ ...ctx.space, id: request_id })),
  )
  const byId = new Map(requests.flatMap((one) => (one ? [[one.id, one]] : [])))
  return sum(found.map(({ request_id }) => missingOfDecision(status, byId.get(request_id))))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
