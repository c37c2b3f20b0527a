// Lists of executions: for people, page by page with filters; for other code, the newest and those of a window of time.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { logHead } from '../../ledger/events/log.ts'
import { hitDays, hitsOfDay } from '../../ledger/hits/hit.ts'
import { type ListQuery, type ListSource, paginate, readPage } from '../../base/wire/pagination.ts'
import { monthsBack } from '../../base/lib/days.ts'
import type { Stored } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { Execution, executions, LIST_SHARDS, listPartition, type RoutingDecision } from './execution.ts'
import { ulid } from '../../base/lib/ids.ts'

type Filters = { status?: string; node_id?: string; action_id?: string; agent_id?: string }

/**
 * Newest first, month by month back to the month in which the tenant was created; those that a policy did not let pass, day by day as
 * long as these are kept.
 */
export async function listExecutions(ctx: Context, query: ListQuery & Filters & { policy_id?: string | undefined }) {
  const { status, node_id, action_id, agent_id, policy_id } = query
  const filters = Object.entries({ status, node_id, action_id, agent_id }).filter(([, value]) => value !== undefined)
  const matches = (item: Execution) => filters.every(([name, value]) => item[name as keyof Filters] === value)
  const page = await paginate(ctx, 'protocol-list-executions', query, {
    ...(policy_id === undefined ? await allExecutions(ctx) : executionsOf(ctx, policy_id)),
    ...(filters.length > 0 && { filter: matches }),
    ...(filters.length === 0 && policy_id === undefined && { total: () => countOf(ctx) }),
  })
  return { ...page, items: page.items.map(executionRowView) }
}

/** Exact, but up to a second late: the event log counts executions, because counting the list would read all of it. */
const countOf = async (ctx: Context) => ({ total: (await logHead(ctx)).counts.executions ?? 0, complete: true })

/** The list of the executions that a policy did not let pass. */
const executionsOf = (ctx: Context, policy_id: string): ListSource<Stored<Execution>, Space & { id: string }> => ({
  of: executions,
  groups: hitDays(ctx.now()).map((day) => ({ name: day, partitions: [hitsOfDay({ ...ctx.space, policy_id }, day)] })),
  keyOf: ({ sk }) => executions.key({ ...ctx.space, id: sk }),
})

/** The list of all executions of the space, newest first. */
async function allExecutions(ctx: Context): Promise<ListSource<Stored<Execution>, Space & { id: string }>> {
  const { created_at } = await tenantOf(ctx.table, ctx.space.tenant_id)
  return {
    of: executions,
    index: 'gsi1',
    groups: monthsBack(ctx.now(), Date.parse(created_at)).map((month) => ({
      name: month,
      partitions: Array.from({ length: LIST_SHARDS }, (_, shard) => listPartition(ctx.space, month, shard)),
    })),
  }
}

/** `complete`: there are no others. */
export async function latestExecutions(ctx: Context, count: number) {
  const { items, last } = await readPage(ctx, await allExecutions(ctx), count, undefined)
  return { items, complete: last === undefined }
}

/** An execution in a list. */
export const ExecutionRowView = Execution.unwrap()
  .pick({
    status: true,
    node_id: true,
    action_id: true,
    version: true,
    requested_by: true,
    client_id: true,
    agent_id: true,
    agent_bound: true,
    executed_at: true,
    undo_until: true,
  })
  .extend({
    request_id: z.string().describe('Id of the request, also in `X-Request-Id`.'),
    tier: z.string().describe('AUTO runs at once, SOFT runs and can be undone, HARD waits for approval.'),
    kind: z.string().describe('The kind of the action.'),
    approval_id: z.string().optional().describe('Id of the approval.'),
    evidence_artifact_id: z.string().optional().describe('Id of the artifact that proves it.'),
  })

function executionRowView(execution: Execution): z.input<typeof ExecutionRowView> {
  const { tier, kind }: z.output<typeof RoutingDecision> = JSON.parse(execution.routing)
  return {
    ...execution,
    request_id: execution.id,
    tier,
    kind,
    approval_id: execution.held?.id,
    evidence_artifact_id: execution.artifacts[0]?.artifact_id,
  }
}

/** Ids are ordered by time, so a window of time is a range of ids. */
const idFrom = (at: number) => `exe_${ulid(at, (size) => new Uint8Array(size)).slice(0, 10)}`

/** The executions that were requested from one instant (ms) up to and without another, oldest first. */
export const executionsBetween = (
  space: Space,
  from: number,
  to: number,
): ListSource<Stored<Execution>, Space & { id: string }> => ({
  of: executions,
  index: 'gsi1',
  descending: false,
  from: idFrom(from),
  to: idFrom(to),
  groups: monthsBack(to - 1, from)
    .toReversed()
    .map((month) => ({
      name: month,
      partitions: Array.from({ length: LIST_SHARDS }, (_, shard) => listPartition(space, month, shard)),
    })),
})
