// Asks for a snapshot.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import * as z from 'zod'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import type { Context } from '../../base/context.ts'
import { warn } from '../../base/lib/log.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { optional } from '../../base/wire/fields.ts'
import { NODE_ID } from '../../govern/manifests/node.ts'
import { enqueueLearning } from '../queue.ts'
import { beginSnapshot, isOpenSnapshot, type Snapshot, snapshotHeads, snapshots } from './snapshot.ts'

export const RunBody = z.strictObject({
  window_days: optional(z.int().min(7).max(90)).describe('How many days before now it looks at.'),
  node_id: optional(z.string().regex(NODE_ID, 'must match namespace.category.name')).describe('Id of the node.'),
})
type Asked = z.output<typeof RunBody> & { trigger: Snapshot['trigger']; id?: string }

const WINDOW_DAYS = 30
/** How long the first message may take to start it. */
const FIRST_TRY_MS = 60_000

/**
 * Asks for a snapshot up to now. While one is being made, that one is returned, also to the second of two callers at once. With
 * the `id` of an existing one that one is returned, so a repeated daily step makes no second one. The sweeper sends a lost message
 * again.
 */
export async function requestSnapshot(ctx: Context, asked: Asked): Promise<{ snapshot: Snapshot; isNew: boolean }> {
  const requested = await retryWhenChanged(() => request(ctx, asked))
  const { snapshot, isNew } = requested
  if (isNew)
    await enqueueLearning(ctx.space, snapshot.id).catch(
      (error: unknown) => warn('snapshot_not_enqueued', error, { snapshot: snapshot.id }), // the sweeper sends it again
    )
  return requested
}

async function request(ctx: Context, { window_days = WINDOW_DAYS, node_id, trigger, id = ctx.id('snp') }: Asked) {
  const { table, space } = ctx
  const head = await table.get(snapshotHeads, space)
  const [open, same] = await Promise.all(
    [head?.open, id].map(async (one) => (one === undefined ? undefined : table.get(snapshots, { ...space, id: one }))),
  )
  const before = same ?? (open && isOpenSnapshot(open) ? open : undefined)
  if (before) return { snapshot: before, isNew: false }
  const now = ctx.now()
  const {
    item: snapshot,
    write,
    transition,
  } = beginSnapshot(ctx, {
    ...space,
    id,
    status: 'queued',
    trigger,
    window_days,
    node_id,
    window: { start_at: iso(now - window_days * DAY_MS), end_at: iso(now) },
    requested_by: { type: ctx.principal.kind, id: ctx.principal.id },
    created_at: iso(now),
    updated_at: iso(now),
    attempt: 0,
    due_at: iso(now + FIRST_TRY_MS),
  })
  const next = { ...space, latest: head?.latest, latest_full: head?.latest_full, open: id }
  await table.commit(
    [
      head
        ? snapshotHeads.replace(next, head, new ChangedMeanwhile())
        : snapshotHeads.insert(next, new ChangedMeanwhile()),
      write,
      ...commitWith(ctx, [transition]),
    ],
    id,
  )
  return { snapshot, isNew: true }
}
