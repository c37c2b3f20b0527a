import type { Context } from '../../base/context.ts'
import { controlKey } from '../catalogue/framework-ids.ts'
import { placeOf } from './change-control.ts'
import type { ControlDetail } from './control-view.ts'
import { controlViews } from './control-views.ts'
import { moves, movesOf, movesPartition } from './standing.ts'
import { readState } from './state.ts'

/** Moves that are shown: the newest. */
const MOVES_MAX = 100

/** With its history, newest first. Throws 404. */
export async function readControl(ctx: Context, framework: string, key: string): Promise<ControlDetail> {
  const { framework_id, control } = placeOf(framework, key)
  const of = { ...ctx.space, framework_id, control_key: controlKey(control.id) }
  const [state, moved] = await Promise.all([
    readState(ctx, framework_id),
    ctx.table.query(moves, {
      pk: movesPartition(ctx.space),
      prefix: movesOf(of),
      descending: true,
      limit: MOVES_MAX,
    }),
  ])
  const view = controlViews(state).find(({ id }) => id === control.id)
  if (!view) throw new Error(`the catalogue has ${control.id}, its views do not`)
  return { ...view, history: moved.map(({ at, from, to, reason }) => ({ at, from, to, reason })) }
}
