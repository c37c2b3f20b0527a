// Makes a snapshot. One worker at a time; another takes over from one that died, and after three tries it is given up.
import type { Context } from '../../base/context.ts'
import { workLease } from '../../base/kernel/lease.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { alarm } from '../../base/lib/log.ts'
import type { AffectedNodes } from '../../base/ports/effects.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { compute } from './compute.ts'
import { readObserved } from './read-observed.ts'
import {
  bodyOf,
  isOpenSnapshot,
  latestSnapshot,
  moveSnapshot,
  touchSnapshot,
  packBody,
  type Snapshot,
  snapshotHeads,
  snapshots,
} from './snapshot.ts'

/** Longer than the worker runs. */
const turns = /* @__PURE__ */ workLease(snapshots, 16 * 60_000, 3)

export async function performSnapshot(ctx: Context, id: string, affectedNodes: AffectedNodes): Promise<void> {
  const claimed = await claim(ctx, id)
  if (!claimed) return
  const began = ctx.now()
  try {
    const { window, node_id } = claimed
    const [from, to] = [Date.parse(window.start_at), Date.parse(window.end_at)]
    const [observed, former, affected] = await Promise.all([
      readObserved(ctx, { from, to, only: { node_id } }),
      latestSnapshot(ctx, 'latest_full'),
      affectedNodes(ctx, from),
    ])
    const body = await compute(ctx, observed, {
      former: former && bodyOf(former),
      incident: (node) => affected.includes(node),
    })
    await end(ctx, claimed, { status: 'completed', body: packBody(body), computed_ms: ctx.now() - began })
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'invalid') throw error
    await end(ctx, claimed, { status: 'failed', error: { code: 'too_many', message: error.message } })
  }
}

/** Undefined when the snapshot is over, another worker has it, or it was given up. */
async function claim(ctx: Context, id: string): Promise<Stored<Snapshot> | undefined> {
  const was = await ctx.table.get(snapshots, { ...ctx.space, id })
  if (!was || !isOpenSnapshot(was)) return undefined
  if (turns.isHeld(was, ctx.now())) return undefined
  if (turns.isSpent(was)) {
    alarm('snapshot_failed', new Error('a snapshot could not be made'), { snapshot: id })
    await end(ctx, was, { status: 'failed', error: { code: 'gave_up', message: 'The snapshot could not be made.' } })
    return undefined
  }
  return turns.take(ctx, was, { status: 'running', updated_at: iso(ctx.now()) }, (next) => {
    if (was.status === 'running') return [touchSnapshot(was, next).write]
    const { write, transition } = moveSnapshot(ctx, was, 'running', next)
    return [write, ...commitWith(ctx, [transition])]
  })
}

const end = (
  ctx: Context,
  was: Stored<Snapshot>,
  { status, ...change }: Pick<Snapshot, 'status'> & Partial<Snapshot>,
): Promise<void> =>
  retryWhenChanged(async () => {
    const ended = { ...change, updated_at: iso(ctx.now()), due_at: undefined }
    const { item, write, transition } = moveSnapshot(ctx, was, status, ended)
    await ctx.table.commit([write, ...commitWith(ctx, [transition]), ...(await movedHead(ctx, item))])
  })

async function movedHead({ table, space }: Context, { id, status, node_id }: Snapshot): Promise<Write[]> {
  const head = await table.get(snapshotHeads, space)
  if (!head) return []
  const newest = status === 'completed' ? { latest: id, ...(node_id === undefined && { latest_full: id }) } : {}
  const open = head.open === id ? undefined : head.open
  return [snapshotHeads.replace({ ...head, ...newest, open }, head, new ChangedMeanwhile())]
}
