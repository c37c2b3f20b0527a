import { endpoint } from '../../shared/edge/endpoint.ts'
import { unchanged } from '../../shared/base/wire/call.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { changeTask } from '../../shared/operate/work/change-task.ts'
import { TaskPatch } from '../../shared/operate/work/task-fields.ts'
import { TaskView, taskView } from '../../shared/operate/work/task-view.ts'
import { work } from './routes.ts'

export const shapes = { body: TaskPatch, response: TaskView, versioned: true }

export const handler = endpoint(work.updateTask, shapes, async ({ params, body, version, ctx }) => {
  const { task, changed } = await changeTask(ctx, params.id, { ...body, version })
  const view = taskView(task, ctx.now())
  return changed ? tagged(view, task._v) : unchanged(view)
})
