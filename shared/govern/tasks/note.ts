import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Write } from '../../base/table/entity.ts'
import { taskNotes } from './task.ts'

/** A note of the caller. The task counts its notes. */
export const noteWrite = (ctx: Context, task_id: string, text: string): Write =>
  taskNotes.insert({
    ...ctx.space,
    task_id,
    id: ctx.id('note'),
    text,
    at: iso(ctx.now()),
    by: { type: ctx.principal.kind, id: ctx.principal.id },
  })
