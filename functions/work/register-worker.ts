import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { registerWorker, WorkerBody } from '../../shared/operate/work/register-worker.ts'
import { WorkerView, workerView } from '../../shared/operate/work/worker-view.ts'
import { work } from './routes.ts'

export const shapes = { body: WorkerBody, response: WorkerView }

export const handler = endpoint(work.registerWorker, shapes, async ({ body, ctx }) => {
  const worker = await registerWorker(ctx, body)
  return tagged(await workerView(ctx, worker), worker._v, 201)
})
