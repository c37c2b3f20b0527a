import { httpResponse, unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { findSnapshot } from '../../shared/learn/snapshots/snapshot.ts'
import { SnapshotView, snapshotView } from '../../shared/learn/snapshots/snapshot-view.ts'
import { requestSnapshot, RunBody } from '../../shared/learn/snapshots/request-snapshot.ts'
import { learning } from './routes.ts'

export const shapes = { body: RunBody, response: SnapshotView }

export const handler = endpoint(
  learning.run,
  shapes,
  async ({ body, ctx }) => {
    const { snapshot, isNew } = await requestSnapshot(ctx, { ...body, trigger: 'manual' })
    const view = snapshotView(snapshot)
    return isNew ? httpResponse(202, view) : unchanged(view, 202)
  },
  { replay: async (ctx, id) => httpResponse(202, snapshotView(await findSnapshot(ctx, id))) },
)
