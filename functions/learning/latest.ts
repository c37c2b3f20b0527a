import { notFound } from '../../shared/base/lib/failure.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { latestSnapshot } from '../../shared/learn/snapshots/snapshot.ts'
import { SnapshotView, snapshotView } from '../../shared/learn/snapshots/snapshot-view.ts'
import { learning } from './routes.ts'

export const shapes = { response: SnapshotView }

export const handler = endpoint(learning.latest, shapes, async ({ ctx }) => {
  const latest = await latestSnapshot(ctx, 'latest')
  if (!latest) throw notFound('snapshot')
  return snapshotView(latest)
})
