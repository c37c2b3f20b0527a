// Computes the next block of a chain from its head and the pending artifacts. Pure; the sequencer stores it.
import { link } from '../artifact/hashes.ts'
import { append, type Frontier, leafHash, rootOf } from './merkle.ts'
import type { Block, Head } from './chain.ts'
import { type Entry, packEntries } from './entries.ts'

/** An artifact without a position yet. `at` is its ISO time. */
export type Pending = Entry & { at: string; type: string }

/** The block of `pending` (at least one, in chain order) after `head`, and the next head. The caller adds the keys. */
export function nextBlock(chain: string, head: Head, pending: readonly Pending[]) {
  let last = head.last
  let frontier: Frontier = head.frontier
  let size = head.size
  const counts = { ...head.counts }
  for (const { ah, type } of pending) {
    last = link(chain, size, last, ah)
    frontier = append(frontier, size, leafHash(last))
    counts[type] = (counts[type] ?? 0) + 1
    size += 1
  }
  const block: Omit<Block, 'pk' | 'sk'> = {
    first: head.size,
    count: pending.length,
    prev: head.last,
    last,
    root_after: rootOf(frontier),
    entries: packEntries(pending),
  }
  const next: Head = {
    ...head,
    size,
    last,
    frontier: [...frontier],
    last_block: head.last_block + 1,
    first_at: head.first_at ?? pending[0]?.at,
    last_at: pending.at(-1)?.at,
    counts,
  }
  return { block, head: next }
}
