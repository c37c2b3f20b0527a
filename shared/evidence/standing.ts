// Whether an artifact stands in the chain, still waits for its position, or was never recorded by the service: an item can be
// written into the table without it.
import type { Context } from '../context.ts'
import { within } from '../lib/clock.ts'
import { timeOfId } from '../lib/ids.ts'
import { artifactIdOf, artifactKey, pointerKey, pointers } from './artifact.ts'
import { placed } from './placed.ts'
import { readable } from './readable.ts'
import { type ViewableArtifact, viewableArtifacts } from './view.ts'

/** A new artifact gets its position within seconds. */
const NEW_MS = 300_000

/** A position that no block confirms is none. `refused`: nothing announces the artifact any more, so it will never have one. */
export async function withStanding(ctx: Context, items: readonly ViewableArtifact[]): Promise<ViewableArtifact[]> {
  const confirmed = await placed(
    ctx,
    items.filter(({ seq }) => seq !== undefined),
  )
  const refused = await neverRecorded(
    ctx,
    items.filter((item) => !confirmed.has(item)),
  )
  return items.map((item) =>
    confirmed.has(item)
      ? item
      : { ...item, seq: undefined, prev: undefined, ch: undefined, refused: refused.has(item.sk) },
  )
}

/** Sort keys of those that nothing announces. Read again last: one may have got its position in this moment. */
async function neverRecorded(ctx: Context, items: readonly ViewableArtifact[]): Promise<Set<string>> {
  const old = items.filter(({ sk }) => !within(NEW_MS, timeOfId(sk), ctx.now())).map(({ sk }) => artifactIdOf(sk))
  const announced = await ctx.table.read(
    readable(pointers),
    old.map((id) => pointerKey(ctx.space, id)),
  )
  const waiting = new Set(announced.map((pointer) => pointer?.sk))
  const left = old.filter((id) => !waiting.has(id.slice('art_'.length)))
  const again = await ctx.table.read(
    viewableArtifacts,
    left.map((id) => artifactKey(ctx.space, id)),
  )
  const found = again.filter((item) => item !== undefined)
  const standing = await placed(ctx, found)
  return new Set(found.filter((item) => !standing.has(item)).map(({ sk }) => sk))
}
