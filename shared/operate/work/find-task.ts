import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { notesOf, type Task, type TaskNote, taskNotes, tasks } from '../../govern/tasks/task.ts'

/** Throws the same not_found for a missing task and for another tenant's. */
export async function findTask({ table, space }: Context, id: string): Promise<Stored<Task>> {
  const task = await table.get(tasks, { ...space, id })
  if (!task) throw notFound('task')
  return task
}

const NOTES_SHOWN = 200

/** Newest first. */
export const newestNotes = ({ table, space }: Context, id: string): Promise<TaskNote[]> =>
  table.query(taskNotes, notesOf(space, id, NOTES_SHOWN))
