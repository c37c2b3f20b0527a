// The export pack, format `countersign-evidence/1` (shared/ledger/evidence/FORMAT.md): a folder from which anybody can recompute a
// run of the chain. Shared by the one who writes it and the one who checks it, so it depends on nothing but the language.
import type { Genesis } from '../../ledger/evidence/artifact/hashes.ts'

export const PACK_FORMAT = 'countersign-evidence/1'

export const PACK = {
  manifest: 'manifest.json',
  artifacts: 'artifacts.ndjson',
  payloads: 'payloads.ndjson',
  /** Erasures that payload lines name and that lie outside the range. */
  erasures: 'erasures.ndjson',
  verifier: 'verify.mjs',
  format: 'FORMAT.md',
  readme: 'README.txt',
  /** Shows that the log holds the hash of manifest.json. Only these two are not listed in it. */
  proof: 'manifest.proof.json',
  checkpoint: (size: number) => `checkpoints/${size}.note`,
} as const

/** `rows` counts ends of lines. Hashes are lower-case hex. */
export type PackFile = { path: string; sha256: string; bytes: number; rows: number }

/**
 * A key that signs checkpoints, in its two usual encodings; it counts for checkpoints of more than `from_size`, up to that of
 * the next one. `succession`: the note by which it and the key before it say so.
 */
export type PackKey = { verifier_key: string; spki: string; from_size: number; succession?: string | undefined }

export type PackManifest = {
  format: typeof PACK_FORMAT
  chain: string
  genesis: Genesis
  /** Sequences from `from` up to and without `to`. */
  range: { from: number; to: number }
  /** The chain before the first artifact of the range. */
  start: { size: number; link: string; frontier: string[] }
  verifier_keys: PackKey[]
  checkpoints: { path: string; size: number }[]
  files: PackFile[]
  generated_at: string
}

/** A line of artifacts.ndjson without its end: the link, a space, and the exact text that was hashed. */
export const artifactLine = (link: string, header: string): string => `${link} ${header}`

/** The two parts of such a line; undefined when it is none. */
export function readArtifactLine(line: string): { link: string; header: string } | undefined {
  const [link, header] = [line.slice(0, 64), line.slice(65)]
  return /^[0-9a-f]{64} $/.test(line.slice(0, 65)) ? { link, header } : undefined
}

/** A line of payloads.ndjson: a payload with the salt (hex) of its commitment, or the artifact that says that it was erased. */
export type PackPayload =
  | { artifact_id: string; salt: string; payload: unknown }
  | { artifact_id: string; erased_by: string }
