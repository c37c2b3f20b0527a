// One part of a full pass: the artifacts between two signed checkpoints. It starts from frontier and link of the first
// locked object and must arrive at the root of the second, so all parts can be verified in parallel.
import type { Context } from '../../../base/context.ts'
import { type Checkpoint, CHECKPOINT_PREFIX, checkpointKey, checkpoints, type Finding } from '../chain/chain.ts'
import { objectKey, readAnchor } from '../checkpoint/checkpoint-store.ts'
import { genesisStart, readGenesis } from '../chain/read-chain.ts'
import { readable } from '../artifact/artifact.ts'
import { type Signers, signersOf } from '../checkpoint/signers.ts'
import type { PartResult } from './pass-seals.ts'
import { walkBetween } from './walk-to-head.ts'
import { sameBytes } from '../../../base/lib/json.ts'
import { padded } from '../../../base/table/entity.ts'
import type { ChainWalk } from './chain-walk.ts'
import { openNote, parseCheckpoint } from '../checkpoint/note.ts'

/**
 * Findings about the artifacts between the checkpoints of two sizes (0: the genesis) and about the checkpoints, and what was
 * stated last.
 */
export async function verifySegment(ctx: Context, { from, to }: { from: number; to: number }): Promise<PartResult> {
  const genesis = await readGenesis(ctx)
  const signers = await signersOf(ctx, genesis)
  const [start, end, notes] = await Promise.all([
    from === 0 ? genesisStart(genesis) : readBorder(ctx, signers, from),
    readBorder(ctx, signers, to),
    readNotes(ctx, from, to),
  ])
  if (!start) return { broken: [unsigned(from)] }
  if (!end) return { broken: [unsigned(to)] }
  const verifier = new CheckpointVerifier(signers, from, [...notes, end])
  const walk = await walkBetween(ctx, start, end.block, verifier.check)
  if (walk.size < to) walk.skipTo(to, end.link)
  const retention = walk.newest.get('evidence.retention.changed')
  return {
    broken: [...walk.findings, ...verifier.invalid.map(unsigned)],
    ...(retention !== undefined && { retention }),
  }
}

/** The finding that the checkpoint of that size is not valid. */
const unsigned = (size: number): Finding => ({
  sequence: Math.max(0, size - 1),
  artifact_id: null,
  reason: 'signature',
})

const readBorder = (ctx: Context, signers: Signers, size: number) => readAnchor(objectKey(ctx.space, size), signers)

async function readNotes(ctx: Context, from: number, to: number): Promise<Checkpoint[]> {
  const [{ pk, sk: after }, { sk: last }] = [checkpointKey(ctx.space, from), checkpointKey(ctx.space, to)]
  return (await ctx.table.query(readable(checkpoints), { pk, after, to: last })).filter((item) => item !== undefined)
}

/** An item of the table, whose key must match its size, or an object of the bucket, whose key was checked before. */
type Signed = Pick<Checkpoint, 'size' | 'root' | 'note'> & { sk?: string }

/**
 * Checks the checkpoints that a walk passes: each note has a valid signature and agrees with its item, and its root is the one
 * that the walk computes.
 */
export class CheckpointVerifier {
  readonly #bad = new Set<number>()
  readonly #ahead = new Map<number, Uint8Array[]>()

  /** `from`: the start of the walk, which does not pass checkpoints up to there. */
  constructor(signers: Signers, from: number, signed: readonly Signed[]) {
    for (const one of signed) {
      if (!holds(one, signers)) this.#bad.add(one.size)
      if (one.size > from) this.#ahead.set(one.size, [...(this.#ahead.get(one.size) ?? []), one.root])
    }
  }

  /** Called after every block of the walk. */
  readonly check = (walk: ChainWalk): void => {
    const roots = this.#ahead.get(walk.size)
    if (roots?.every((root) => walk.hasRoot(root))) this.#ahead.delete(walk.size)
  }

  /** Sizes of the invalid checkpoints, after the walk. */
  get invalid(): number[] {
    return [...new Set([...this.#bad, ...this.#ahead.keys()])].toSorted((a, b) => a - b)
  }
}

function holds({ sk, size, root, note }: Signed, { name, keys }: Signers): boolean {
  if (sk !== undefined && sk !== `${CHECKPOINT_PREFIX}${padded(size, 16)}`) return false
  const text = openNote(note, keys)
  const signed = text === undefined ? undefined : parseCheckpoint(text)
  return signed !== undefined && signed.origin === name && signed.size === size && sameBytes(signed.root, root)
}
