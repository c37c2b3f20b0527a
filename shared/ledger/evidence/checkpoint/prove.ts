// Proves that an artifact is in the signed log. It reads the artifact, the first checkpoint that covers it, the checkpoint
// before that, whose frontier replaces all earlier leaves, and the blocks between the two (at most 20,000 entries). So the
// cost does not grow with the chain, and the proof of an artifact never changes.
import type { Context } from '../../../base/context.ts'
import { conflict } from '../../../base/lib/failure.ts'
import { sameBytes } from '../../../base/lib/json.ts'
import type { StoredArtifact } from '../artifact/artifact.ts'
import { CHECKPOINT_PREFIX, checkpointKey, type Entry, unpackEntries } from '../chain/chain.ts'
import { type Anchor, objectKey, readAnchor } from './checkpoint-store.ts'
import { findArtifact } from '../artifact/view.ts'
import { artifactHash, chainName, hex, link } from '../artifact/hashes.ts'
import { leafHash } from '../chain/merkle.ts'
import { type Proven, tlogProof } from './proven.ts'
import { includes, inclusionProof, type Tree } from './proofs.ts'
import { genesisStart, readBlocks, readGenesis, type WalkStart } from '../chain/read-chain.ts'
import { signersOf } from './signers.ts'

/** Throws 409 while no checkpoint covers the artifact, and when the stored chain does not lead to the signed root. */
export async function proveArtifact(ctx: Context, id: string): Promise<string> {
  const item = await findArtifact(ctx, id)
  const { seq } = item
  const covering = seq === undefined ? undefined : await coveringCheckpoint(ctx, seq)
  if (seq === undefined || !covering)
    throw conflict('No signed checkpoint covers the artifact yet. Try again in a minute.')
  const { anchor, before } = covering
  const entries = await readEntries(ctx, before.block, anchor.block)
  if (!isEntry(entries[seq - before.size], id, item)) throw unproven()
  const tree = treeBehind(chainName(ctx.space), before, entries)
  const leaf = tree.leaves[seq - before.size]
  const hashes = inclusionProof(tree, seq)
  if (!leaf || !includes({ ...anchor, leaf, index: seq, proof: hashes })) throw unproven()
  return tlogProof({ index: seq, hashes, checkpoint: anchor.note })
}

/** The same for readers who do not hold the chain around it. */
export async function provenArtifact(ctx: Context, id: string): Promise<Proven> {
  const proof = await proveArtifact(ctx, id)
  const { header, prev } = await findArtifact(ctx, id)
  return { header, previous: hex(prev ?? new Uint8Array()), proof }
}

const unproven = () =>
  conflict('The stored chain does not prove this artifact. Read /api/evidence/verify for the findings.')

/** The first checkpoint that covers a position, and the state of the chain at the previous checkpoint or genesis. */
async function coveringCheckpoint(
  ctx: Context,
  seq: number,
): Promise<{ anchor: Anchor; before: WalkStart } | undefined> {
  const { pk, sk: after } = checkpointKey(ctx.space, seq)
  const [known] = await ctx.table.keys({ pk, after, to: `${CHECKPOINT_PREFIX}~`, limit: 1 })
  if (!known) return undefined
  const genesis = await readGenesis(ctx)
  const signers = await signersOf(ctx, genesis)
  const read = async (size: number) => {
    const anchor = await readAnchor(objectKey(ctx.space, size), signers)
    if (!anchor) throw unproven()
    return anchor
  }
  let anchor = await read(Number(known.sk.slice(CHECKPOINT_PREFIX.length)))
  // Checkpoints missing in the table are still in the bucket.
  while (anchor.from > seq) anchor = await read(anchor.from)
  return { anchor, before: anchor.from === 0 ? genesisStart(genesis) : await read(anchor.from) }
}

async function readEntries(ctx: Context, after: number, last: number): Promise<Entry[]> {
  const { taken } = await readBlocks(ctx, after, last, Number.POSITIVE_INFINITY)
  try {
    return taken.flatMap(({ entries }) => unpackEntries(entries))
  } catch {
    throw unproven()
  }
}

const isEntry = (entry: Entry | undefined, id: string, { header }: StoredArtifact): boolean =>
  entry !== undefined && entry.artifact_id === id && sameBytes(entry.ah, artifactHash(header))

function treeBehind(chain: string, { size, link: start, frontier }: WalkStart, entries: readonly Entry[]): Tree {
  let last = start
  const leaves = entries.map(({ ah }, index) => {
    last = link(chain, size + index, last, ah)
    return leafHash(last)
  })
  return { size, frontier, leaves }
}
