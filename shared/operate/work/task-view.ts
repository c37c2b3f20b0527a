import * as z from 'zod'
import { SlaView, slaView } from '../../base/sla/sla.ts'
import type { Stored } from '../../base/table/entity.ts'
import { PinnedAction, Task, TaskAction, TaskNote } from '../../govern/tasks/task.ts'

export const TaskView = Task.unwrap()
  .omit({ mode: true })
  .extend({
    sla: SlaView.describe('The times by which it must be started and resolved.'),
    version: z.int().describe('The version, which grows with each change. Send it as `If-Match` with the next change.'),
  })

const NoteView = TaskNote.pick({ id: true, text: true, at: true, by: true })

/** With the newest notes, and with all that completing it requests. */
export const TaskDetail = TaskView.extend({
  notes: z.array(NoteView).describe('The latest notes, newest first.'),
  action: TaskAction.extend(PinnedAction.pick({ payload: true, authors: true }).partial().shape)
    .optional()
    .describe('What completing the task requests. The task stays in review until that has ended.'),
})

export const taskView = (task: Stored<Task>, now: number): z.input<typeof TaskView> => ({
  ...task,
  sla: slaView(task.sla, now),
  version: task._v,
})
