// What else happens when somebody completes a task of some kind. The layers that know it fill this where functions are made,
// so that tasks know none of them.
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import type { Task } from '../../govern/tasks/task.ts'
import type { TaskKind } from '../../govern/tasks/states.ts'
import type { Context } from '../context.ts'
import type { Following, Write } from '../table/entity.ts'

/** `waits`: what was set in motion has not ended, so the task goes to `in_review` until whoever ends it closes it. */
export type TaskEffect = { writes: (Write | Following)[]; transitions: Transition[]; waits?: boolean }

/** Called before the commit that completes the task, and again when that is overtaken. Throws what the caller caused. */
export type TaskEffects = Partial<Record<TaskKind, (ctx: Context, task: Task) => Promise<TaskEffect>>>
