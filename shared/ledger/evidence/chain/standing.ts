// Decides whether an artifact is in the chain, waits for its position, or was never recorded by the service and only written
// into the table.
import type { Context } from '../../../base/context.ts'
import { within } from '../../../base/lib/clock.ts'
import { timeOfId } from '../../../base/lib/ids.ts'
import {
  artifactIdOf,
  artifactKey,
  artifacts,
  pointerKey,
  pointers,
  type StoredArtifact,
} from '../artifact/artifact.ts'
import { placed } from './placed.ts'
import { readable } from '../artifact/readable.ts'
import type { ViewableArtifact } from '../artifact/view.ts'

/** A new artifact gets its position within seconds. */
const NEW_MS = 300_000

/** Drops positions that no block confirms. `refused`: no pointer announces the artifact, so it never gets a position. */
export async function withStanding(ctx: Context, items: readonly ViewableArtifact[]): Promise<ViewableArtifact[]> {
  const confirmed = await placed(ctx, items)
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

/**
 * The sort keys of artifacts without position and pointer. They are read again last, since one may just have got its
 * position.
 */
export async function neverRecorded(ctx: Context, items: readonly StoredArtifact[]): Promise<Set<string>> {
  const old = items.filter(({ sk }) => !within(NEW_MS, timeOfId(sk), ctx.now())).map(({ sk }) => artifactIdOf(sk))
  const announced = await ctx.table.read(
    readable(pointers),
    old.map((id) => pointerKey(ctx.space, id)),
  )
  const waiting = new Set(announced.map((pointer) => pointer && artifactIdOf(pointer.sk)))
  const left = old.filter((id) => !waiting.has(id)).map((id) => artifactKey(ctx.space, id))
  const again = (await ctx.table.read(readable(artifacts), left)).filter((item) => item !== undefined)
  const standing = await placed(ctx, again)
  return new Set(again.filter((item) => !standing.has(item)).map(({ sk }) => sk))
}

/** For artifacts that are or will be in the chain: whether they are pending. The chain must hold exactly the stored text. */
export async function inChain(
  ctx: Context,
  items: readonly StoredArtifact[],
): Promise<Map<StoredArtifact, 'stands' | 'waits'>> {
  const standing = await placed(ctx, items, { text: true })
  const waiting = items.filter(({ seq }) => seq === undefined)
  const refused = await neverRecorded(ctx, waiting)
  return new Map([
    ...[...standing].map((item) => [item, 'stands'] as const),
    ...waiting.flatMap((item) => (refused.has(item.sk) ? [] : [[item, 'waits'] as const])),
  ])
}
