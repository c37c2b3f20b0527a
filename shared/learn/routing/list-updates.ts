import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type ListQuery, type ListSource, paginate } from '../../base/wire/pagination.ts'
import { approvals } from '../../govern/approvals/approval.ts'
import { executions } from '../../govern/executions/execution.ts'
import { learningPartition, RoutingUpdate, routingUpdates, UPDATE_STATUSES, UPDATE_TYPES } from './update.ts'

export const UpdateFilters = z.object({
  status: z.enum(UPDATE_STATUSES).optional().describe('Only those in this state.'),
  type: z.enum(UPDATE_TYPES).optional().describe('Only those of this kind.'),
  node_id: z.string().max(128).optional().describe('Only of actions of this node.'),
})

export const RoutingUpdateView = RoutingUpdate.omit({ mode: true, persons: true, artifact_id: true }).extend({
  evidence_artifact_id: z.string().describe('Id of the artifact that proves it.'),
})

/** Newest first. */
export async function listUpdates(ctx: Context, query: ListQuery & z.output<typeof UpdateFilters>) {
  const { status, type, node_id } = query
  const wanted = Object.entries({ status, type, node_id }).filter(([, value]) => value !== undefined)
  const list: ListSource<Stored<RoutingUpdate>, Space & { id: string }> = {
    of: routingUpdates,
    groups: [{ name: 'all', partitions: [learningPartition(ctx.space)] }],
    from: 'RTU#',
    to: 'RTU#~',
    ...(wanted.length > 0 && {
      filter: (item) => wanted.every(([member, value]) => item[member as keyof typeof item] === value),
    }),
  }
  const page = await paginate(ctx, 'learning-list-routing-updates', query, list)
  return { ...page, items: await updateViews(ctx, page.items) }
}

export const updateView = async (ctx: Context, update: RoutingUpdate) => {
  const [view] = await updateViews(ctx, [update])
  if (!view) throw new Error('an update has no view')
  return view
}

/** While people decide on it, an update expires with its approval. */
async function updateViews(ctx: Context, updates: readonly RoutingUpdate[]) {
  const { table, space } = ctx
  const waiting = updates.filter(({ status }) => status === 'proposed')
  const requested = await table.getAll(
    executions,
    waiting.map(({ execution_id: id }) => ({ ...space, id })),
  )
  const heldBy = new Map(requested.map(({ id, held }) => [id, held?.id]))
  const held = await table.getAll(
    approvals,
    requested.flatMap(({ held: one }) => (one ? [{ ...space, id: one.id }] : [])),
  )
  const expiryOf = new Map(held.map(({ id, expires_at }) => [id, expires_at]))
  return updates.map((update) => {
    const approval_id = update.approval_id ?? heldBy.get(update.execution_id)
    const expires_at = update.expires_at ?? expiryOf.get(approval_id ?? '')
    return { ...update, approval_id, expires_at, evidence_artifact_id: update.artifact_id }
  })
}
