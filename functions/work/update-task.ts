import '../effects.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { unchanged } from '../../shared/base/wire/call.ts'
import type { TaskEffects } from '../../shared/govern/tasks/task-effects.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { changeTask } from '../../shared/operate/work/change-task.ts'
import { TaskPatch, TaskView, taskView } from '../../shared/operate/work/task-view.ts'
import { work } from './routes.ts'

export const shapes = { body: TaskPatch, response: TaskView, versioned: true }

/** What completing a task of a kind does besides. Each part is loaded with the first task that needs it. */
const effects: TaskEffects = {
  evidence_review: async (ctx, task, answer) =>
    (await import('../../shared/assure/decisions/decide.ts')).reviewEffect(ctx, task, answer),
}

export const handler = endpoint(work.updateTask, shapes, async ({ params, body, version, ctx }) => {
  const { task, changed } = await changeTask(ctx, params.id, { ...body, version }, effects)
  const view = taskView(task, ctx.now())
  return changed ? tagged(view, task._v) : unchanged(view)
})
