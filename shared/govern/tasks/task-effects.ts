// What else happens when somebody completes a task of some kind. The layers above register it where functions are made, so that tasks
// import none of them.
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import type { Task } from './task.ts'
import type { TaskKind } from './states.ts'
import type { Context } from '../../base/context.ts'
import type { Following, Write } from '../../base/table/entity.ts'

/** What goes into the commit that completes the task. `after`: called once that is committed. */
export type TaskEffect = { writes: (Write | Following)[]; transitions: Transition[]; after?: () => Promise<void> }

/** What the request says of the task that it completes. */
export type TaskAnswer = { resolution?: string | undefined; note?: string | undefined }

/** Called before the commit that completes the task, and again if another change comes first. Throws a `Failure` that the caller caused. */
export type TaskEffects = Partial<
  Record<TaskKind, (ctx: Context, task: Task, answer: TaskAnswer) => Promise<TaskEffect>>
>
