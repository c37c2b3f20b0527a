// Checks the checkpoints that a walk passes: each note has a valid signature and agrees with its item, and its root is the
// one that the walk computes.
import { sameBytes } from '../../../base/lib/json.ts'
import { padded } from '../../../base/table/entity.ts'
import { CHECKPOINT_PREFIX, type Checkpoint } from '../chain/chain.ts'
import type { ChainWalk } from './chain-walk.ts'
import { openNote, parseCheckpoint } from '../checkpoint/note.ts'
import type { Signers } from '../checkpoint/signers.ts'

/** An item of the table, whose key must match its size, or an object of the bucket, whose key was checked before. */
type Signed = Pick<Checkpoint, 'size' | 'root' | 'note'> & { sk?: string }

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
