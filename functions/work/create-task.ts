import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { createTask } from '../../shared/operate/work/create-task.ts'
import { TaskBody, TaskView, taskView } from '../../shared/operate/work/task-view.ts'
import { work } from './routes.ts'

export const shapes = { body: TaskBody, response: TaskView }

export const handler = endpoint(work.createTask, shapes, async ({ body, ctx }) => {
  const task = await createTask(ctx, body)
  return tagged(taskView(task, ctx.now()), task._v, 201, { Location: `/api/v1/work/tasks/${task.id}` })
})
