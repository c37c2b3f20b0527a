// What the offline verifier finds, collected while it reads.
import type { Finding } from '../evidence/chain.ts'

export type Reason = Finding['reason'] | 'signature' | 'file_hash' | 'not_canonical' | 'payload'

/** `sequence` and `artifact_id` are null where the finding is about a file or a key; `path` then names the file. */
export type Broken = { sequence: number | null; artifact_id: string | null; reason: Reason; path?: string }

export class Report {
  readonly broken: Broken[] = []
  readonly checkpoints = { verified: 0, failed: 0 }
  readonly payloads = { verified: 0, mismatched: 0, erased: 0 }
  /** Size of the newest checkpoint that holds; 0 when none does. */
  anchoredThrough = 0

  add(sequence: number | null, artifact_id: string | null, reason: Reason): void {
    this.broken.push({ sequence, artifact_id, reason })
  }

  addFile(path: string, reason: Reason): void {
    this.broken.push({ sequence: null, artifact_id: null, reason, path })
  }

  failCheckpoint(size: number, reason: 'signature' | 'root'): void {
    this.checkpoints.failed += 1
    this.add(Math.max(0, size - 1), null, reason)
  }

  passCheckpoint(size: number): void {
    this.checkpoints.verified += 1
    this.anchoredThrough = Math.max(this.anchoredThrough, size)
  }
}
