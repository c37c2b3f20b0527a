// Looks at everything a verification is about: the chain, its checkpoints in the table, and the newest of them in the
// bucket. Checkpoints are read before the head, so none of them can be ahead of the chain it is held against.
import type { Context } from '../context.ts'
import { sameBytes } from '../lib/hash.ts'
import { artifactKey, artifacts } from './artifact.ts'
import { blockKey, blocks, type Checkpoint, type Finding, type Head, headKey, heads } from './chain.ts'
import { type Anchor, findAnchor } from './checkpoint-store.ts'
import { unpackEntries } from './entries.ts'
import { type Genesis, genesisLink } from './hashes.ts'
import type { Header } from './header.ts'
import { type NoteKey, openNote, parseCheckpoint } from './note.ts'
import { genesisStart, newestCheckpoints } from './read-chain.ts'
import { type HeadState, WALK_MAX, walkStored } from './walk-stored.ts'
import { readable } from './readable.ts'
import type { Examined } from './verdict.ts'

/** Checkpoints of the table that a full pass checks, newest first. */
const CHECKPOINTS_MAX = 1_000

/** `key` is the one that signs this chain's checkpoints, `open` what the last full pass found. */
export type Known = { genesis: Genesis; key: NoteKey; open: readonly Finding[] }

export async function examine(ctx: Context, { genesis, key, open }: Known): Promise<Examined> {
  const items = await newestCheckpoints(ctx, CHECKPOINTS_MAX)
  const { newest, anchor } = await findAnchor(ctx.space, key, items[0]?.size)
  const head = await ctx.table.get(readable(heads), headKey(ctx.space))
  const size = head?.size ?? 0
  const full = size <= WALK_MAX
  const checked = full ? items : items.slice(0, 1)
  const cut = anchor !== undefined && size < anchor.size
  const start = full || cut || !anchor ? genesisStart(genesis) : anchor
  const unmet = new Map(
    [...checked, ...(anchor ? [anchor] : [])].filter((one) => one.size > start.size).map(sizeAndRoot),
  )
  const { walk, complete } = await walkStored(ctx, start, head ?? emptyHead(genesis), (at) => {
    const root = unmet.get(at.size)
    if (root && at.hasRoot(root)) unmet.delete(at.size)
  })
  if (!head) walk.report(null, 'missing', 0)
  if (cut) for (let at = size; at < anchor.size; at += 1) walk.report(null, 'missing', at)
  const badItem = checked.some((item) => !holds(item, key, anchor))
  return {
    now: ctx.now(),
    mode: full ? 'full' : 'incremental',
    head: head ?? { size: 0 },
    anchor,
    signatureFailed: (newest !== undefined && !anchor) || badItem || unmet.size > 0,
    findings: walk.findings,
    open: full ? [] : open,
    walkedTo: walk.size,
    complete,
    oldestUnanchoredAt: head && (await oldestUnanchored(ctx, head, anchor)),
  }
}

const sizeAndRoot = ({ size, root }: { size: number; root: Uint8Array }): [number, Uint8Array] => [size, root]

/** What stands in for a head that is gone: the chain then ends before its first artifact. */
const emptyHead = (genesis: Genesis): HeadState => ({
  size: 0,
  last: genesisLink(genesis),
  last_block: 0,
  finalized: 0,
})

/** The note of an item is signed by us and says what the item says; of one size there is one root. */
function holds(item: Checkpoint, key: NoteKey, anchor: Anchor | undefined): boolean {
  const text = openNote(item.note, [key])
  const signed = text === undefined ? undefined : parseCheckpoint(text)
  if (!signed || signed.origin !== key.name || signed.size !== item.size) return false
  return sameBytes(signed.root, item.root) && (item.size !== anchor?.size || sameBytes(item.root, anchor.root))
}

/** When the first artifact that no checkpoint covers occurred; the newest time where that cannot be read. */
async function oldestUnanchored(ctx: Context, head: Head, anchor: Anchor | undefined): Promise<string | undefined> {
  const number = (anchor?.block ?? 0) + 1
  if (number > head.last_block) return undefined
  try {
    const block = await ctx.table.get(blocks, blockKey(ctx.space, number))
    const [first] = block ? unpackEntries(block.entries) : []
    const artifact = first && (await ctx.table.get(artifacts, artifactKey(ctx.space, first.artifact_id)))
    const { occurred_at }: Partial<Header> = JSON.parse(artifact?.header ?? '{}')
    return occurred_at ?? head.last_at
  } catch {
    return head.last_at // what is wrong with it is already a finding
  }
}
