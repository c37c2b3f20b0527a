// What the offline verifier finds, collected while it reads.
import type { Finding } from '../../ledger/evidence/chain/chain.ts'

export type Reason =
  | Finding['reason']
  /** A note or a succession that no key which counts has signed. */
  | 'signature'
  | 'file_hash'
  | 'unlisted'
  | 'not_canonical'
  | 'duplicate_member'
  | 'payload'
  | 'erasure'
  /** The manifest is not the one whose hash the log holds, or nothing shows that it is. */
  | 'seal'
  /** Less than what the reader already holds. */
  | 'rollback'
  /** More, or older, than what may still wait for a signature. */
  | 'unanchored'

/** `sequence` and `artifact_id` are null where the finding is about a file or a key; `path` then names the file. */
export type Broken = { sequence: number | null; artifact_id: string | null; reason: Reason; path?: string }

export class Report {
  readonly broken: Broken[] = []
  readonly checkpoints = { verified: 0, failed: 0 }
  readonly payloads = { verified: 0, mismatched: 0, erased: 0 }
  /** Size of the newest checkpoint that holds; 0 when none does. */
  anchoredThrough = 0
  /** The earliest time that an artifact behind that checkpoint states. */
  #oldestBehind: string | undefined

  add(sequence: number | null, artifact_id: string | null, reason: Reason): void {
    this.broken.push({ sequence, artifact_id, reason })
  }

  addFile(path: string, reason: Reason): void {
    this.broken.push({ sequence: null, artifact_id: null, reason, path })
  }

  failPayload(sequence: number | null, artifact_id: string | null, reason: 'payload' | 'erasure'): void {
    this.payloads.mismatched += 1
    this.add(sequence, artifact_id, reason)
  }

  failCheckpoint(size: number, reason: 'signature' | 'root' | 'rollback'): void {
    this.checkpoints.failed += 1
    this.add(Math.max(0, size - 1), null, reason)
  }

  passCheckpoint(size: number): void {
    this.checkpoints.verified += 1
    this.anchoredThrough = Math.max(this.anchoredThrough, size)
    this.#oldestBehind = undefined
  }

  /** An artifact that no checkpoint has covered so far. One without a time counts as older than any. */
  follow(occurred_at: unknown): void {
    const at = typeof occurred_at === 'string' ? occurred_at : ''
    if (this.#oldestBehind === undefined || at < this.#oldestBehind) this.#oldestBehind = at
  }

  /** Age of the oldest of them (ms) at some instant; not a number when it states no time. */
  ageBehind(instant: string): number {
    return this.#oldestBehind === undefined ? 0 : Date.parse(instant) - Date.parse(this.#oldestBehind)
  }
}
