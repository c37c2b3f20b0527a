// How those stand who acted in the window of a snapshot, and which model judged.
import type { Context } from '../../base/context.ts'
import { learnedItems, USUAL_SLOT } from '../../govern/learned/learned.ts'
import { standingView } from '../../govern/learned/trust-view.ts'
import { conducts } from '../../ledger/conduct/conduct.ts'
import type { Content } from './snapshot.ts'

const SHOWN_MAX = 100
/** Whoever names a new agent with each request makes as many actors. */
const READ_MAX = 5_000

/** Those with the lowest trust. */
export async function lowestStandings(ctx: Context, actors: ReadonlySet<string>): Promise<Content['agents']> {
  const read = [...actors].toSorted().slice(0, READ_MAX)
  const known = await ctx.table.getAll(
    conducts,
    read.map((actor) => ({ ...ctx.space, actor })),
  )
  return known
    .map((conduct) => ({ actor: conduct.actor, ...standingView(conduct, ctx.now()) }))
    .toSorted((a, b) => a.trust - b.trust || (a.actor < b.actor ? -1 : 1))
    .slice(0, SHOWN_MAX)
}

/** The model in the usual slot now. */
export async function modelInUse({ table, space }: Context): Promise<Content['model']> {
  const placed = (await table.get(learnedItems, space))?.slots[USUAL_SLOT]
  return placed ? { slot: USUAL_SLOT, model_id: placed.model_id, version: placed.version } : null
}
