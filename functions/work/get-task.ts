import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { findTask, newestNotes } from '../../shared/operate/work/find-task.ts'
import { TaskDetail, taskView } from '../../shared/operate/work/task-view.ts'
import { work } from './routes.ts'

export const shapes = { response: TaskDetail, versioned: true }

export const handler = endpoint(work.getTask, shapes, async ({ params, ctx }) => {
  const [task, notes] = await Promise.all([findTask(ctx, params.id), newestNotes(ctx, params.id)])
  return tagged({ ...taskView(task, ctx.now()), notes }, task._v)
})
