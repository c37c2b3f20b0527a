// Collects the findings of the offline verifier.
import type { Finding } from '../../../ledger/evidence/chain/chain.ts'

export type Reason =
  | Finding['reason']
  /** No trusted key has signed the note or the succession. */
  | 'signature'
  | 'file_hash'
  | 'unlisted'
  | 'not_canonical'
  | 'duplicate_member'
  | 'payload'
  | 'erasure'
  /** There is no proof that the log holds the hash of the manifest. */
  | 'seal'
  /** The pack inside is of another chain or another time than the archive. */
  | 'other_chain'
  /** The pack covers less than the reader already holds. */
  | 'rollback'
  /** More, or older, artifacts lack a signature than a chain signed in time has. */
  | 'unanchored'

/** `sequence` and `artifact_id` are null for a finding about a file or a key; `path` then names the file. */
export type Broken = { sequence: number | null; artifact_id: string | null; reason: Reason; path?: string }

export class Report {
  readonly broken: Broken[] = []
  readonly checkpoints = { verified: 0, failed: 0 }
  readonly payloads = { verified: 0, mismatched: 0, erased: 0 }
  /** The size of the newest verified checkpoint; 0 when there is none. */
  anchoredThrough = 0
  /** The earliest time of an artifact after that checkpoint. */
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

  /** Notes the time of an artifact that no checkpoint has covered so far. One without a time counts as the oldest. */
  follow(occurred_at: unknown): void {
    const at = typeof occurred_at === 'string' ? occurred_at : ''
    if (this.#oldestBehind === undefined || at < this.#oldestBehind) this.#oldestBehind = at
  }

  /** The age (ms) of the oldest uncovered artifact at an instant; NaN when it has no time. */
  ageBehind(instant: string): number {
    return this.#oldestBehind === undefined ? 0 : Date.parse(instant) - Date.parse(this.#oldestBehind)
  }
}
