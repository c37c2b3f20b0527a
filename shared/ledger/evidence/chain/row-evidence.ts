// Compares an execution or approval in the table with its evidence, for answers and exports. An artifact in the table is in
// the chain, waits for its position, or was never recorded by the service. The position in its item is only a claim, because
// anybody with write access can insert an item; only the block that lists the artifact proves it.
import * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import { alarm } from '../../../base/lib/log.ts'
import type { Header } from '../artifact/header.ts'
import type { ReferencedArtifact } from '../artifact/referenced-artifacts.ts'
import { within } from '../../../base/lib/clock.ts'
import { timeOfId } from '../../../base/lib/ids.ts'
import {
  artifactIdOf,
  artifactKey,
  artifacts,
  pointerKey,
  pointers,
  readable,
  type StoredArtifact,
} from '../artifact/artifact.ts'
import type { ViewableArtifact } from '../artifact/view.ts'
import { sameBytes } from '../../../base/lib/json.ts'
import { type Block, blockKey, blockNumber, blocks, type Entry, unpackEntries } from './chain.ts'
import { artifactHash } from '../artifact/hashes.ts'

/**
 * `verified`: the row agrees with the chain. `pending`: it agrees with artifacts that wait for their position. `differs`: the
 * members in `contradicted` differ, or (`evidence`) artifacts are gone; then trust the artifacts, not the row.
 */
export const RowEvidence = z.object({
  evidence_status: z
    .enum(['verified', 'pending', 'differs'])
    .describe('Whether the evidence agrees: `verified`; `pending`, while it has no position yet; or `differs`.'),
  contradicted: z
    .array(z.string())
    .optional()
    .describe('Names of members that the evidence contradicts, or `evidence` where artifacts are missing.'),
})
export type RowEvidence = z.output<typeof RowEvidence>

type Row = {
  referenced: readonly Pick<ReferencedArtifact, 'item' | 'header'>[]
  /** The rule of its kind, applied only if every referenced artifact exists. */
  contradictions: (headers: readonly Partial<Header>[]) => string[]
}

/** In the order of the rows. */
export async function rowEvidence(ctx: Context, rows: readonly Row[]): Promise<RowEvidence[]> {
  const standing = await inChain(
    ctx,
    rows.flatMap(({ referenced }) => referenced.flatMap(({ item, header }) => (item && header ? item : []))),
  )
  return rows.map(({ referenced, contradictions }) => {
    const headers = referenced.flatMap(({ header }) => header ?? [])
    const places = referenced.map(({ item }) => (item ? standing.get(item) : undefined))
    const isWhole = headers.length > 0 && headers.length === referenced.length && !places.includes(undefined)
    const contradicted = isWhole ? contradictions(headers) : ['evidence']
    if (contradicted.length > 0) return { evidence_status: 'differs' as const, contradicted }
    return { evidence_status: places.includes('waits') ? ('pending' as const) : ('verified' as const) }
  })
}

/** Raises an alarm each time a differing row is shown. */
export function alarmDiffering(id: string, evidence: RowEvidence | undefined): void {
  if (evidence?.evidence_status !== 'differs') return
  const { contradicted = [] } = evidence
  const error = new Error('the row differs from its evidence')
  alarm('evidence.row_differs', error, { id, contradicted: contradicted.join() })
}

/** A new artifact gets its position within seconds. */
const NEW_MS = 300_000

/** Drops positions that no block confirms. `refused`: no pointer announces the artifact, so it never gets a position. */
export async function withEvidenceStatus(
  ctx: Context,
  items: readonly ViewableArtifact[],
): Promise<ViewableArtifact[]> {
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

/**
 * The artifacts whose claimed position is confirmed by its block; with `text`, only if the block also lists the hash of the
 * stored text. Reads each block once.
 */
export async function placed<A extends StoredArtifact>(
  ctx: Context,
  items: readonly A[],
  { text = false } = {},
): Promise<Set<A>> {
  const numbers = [...new Set(items.flatMap(({ blk }) => blk ?? []))]
  const found = await ctx.table.read(
    readable(blocks),
    numbers.map((number) => blockKey(ctx.space, number)),
  )
  const listed = new Map(found.flatMap((block) => (block ? [[blockNumber(block), entriesOf(block)] as const] : [])))
  return new Set(
    items.filter(({ sk, seq = -1, blk = -1, header }) => {
      const entry = listed.get(blk)?.get(seq)
      return entry?.artifact_id === artifactIdOf(sk) && (!text || sameBytes(entry.ah, artifactHash(header)))
    }),
  )
}

/** By their position. */
function entriesOf({ first, entries }: Block): Map<number, Entry> {
  try {
    return new Map(unpackEntries(entries).map((entry, index) => [first + index, entry]))
  } catch {
    return new Map() // incomplete entries confirm no artifact
  }
}
