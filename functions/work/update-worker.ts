import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { changeWorker, WorkerPatch } from '../../shared/operate/work/register-worker.ts'
import { WorkerView, workerView } from '../../shared/operate/work/worker-view.ts'
import { work } from './routes.ts'

export const shapes = { body: WorkerPatch, response: WorkerView, versioned: true }

export const handler = endpoint(work.updateWorker, shapes, async ({ params, body, version, ctx }) => {
  const worker = await changeWorker(ctx, params.id, { ...body, version })
  return tagged(await workerView(ctx, worker), worker._v)
})
