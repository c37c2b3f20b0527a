import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { findPinned } from '../../shared/govern/tasks/task.ts'
import { findTask, newestNotes, TaskDetail, taskView } from '../../shared/operate/work/task-view.ts'
import { work } from './routes.ts'

export const shapes = { response: TaskDetail, versioned: true }

export const handler = endpoint(work.getTask, shapes, async ({ params, ctx }) => {
  const { id } = params
  const [task, notes, action] = await Promise.all([findTask(ctx, id), newestNotes(ctx, id), findPinned(ctx, id)])
  const shown = task.action && { ...action, ...task.action }
  return tagged({ ...taskView(task, ctx.now()), ...(shown && { action: shown }), notes }, task._v)
})
