// The export pack, format `countersign-evidence/1` (shared/ledger/evidence/FORMAT.md): a folder from which anybody can recompute a
// part of the chain. The writer and the verifier share this file, so it depends on no library.
import type { Genesis } from '../../../ledger/evidence/artifact/hashes.ts'

export const PACK_FORMAT = 'countersign-evidence/1'

export const PACK = {
  manifest: 'manifest.json',
  artifacts: 'artifacts.ndjson',
  payloads: 'payloads.ndjson',
  /** Erasures outside the range that payload lines name. */
  erasures: 'erasures.ndjson',
  verifier: 'verify.mjs',
  format: 'FORMAT.md',
  readme: 'README.txt',
  /** Proves that the log holds the hash of manifest.json. Only these two files are not listed in the manifest. */
  proof: 'manifest.proof.json',
  checkpoint: (size: number) => `checkpoints/${size}.note`,
} as const

/** `rows` counts line ends. Hashes are lower-case hex. */
export type PackFile = { path: string; sha256: string; bytes: number; rows: number }

/**
 * A key that signs checkpoints, in its two usual encodings. It signs the checkpoints larger than its `from_size`, up to the
 * `from_size` of the next key. `succession`: the note in which this key and the one before it sign the change.
 */
export type PackKey = { verifier_key: string; spki: string; from_size: number; succession?: string | undefined }

export type PackManifest = {
  format: typeof PACK_FORMAT
  chain: string
  genesis: Genesis
  /** Sequences from `from` up to and without `to`. */
  range: { from: number; to: number }
  /** The state of the chain before the first artifact of the range. */
  start: { size: number; link: string; frontier: string[] }
  verifier_keys: PackKey[]
  checkpoints: { path: string; size: number }[]
  files: PackFile[]
  generated_at: string
}

/** A line of artifacts.ndjson without its line end: the link, a space, and the exact text that was hashed. */
export const artifactLine = (link: string, header: string): string => `${link} ${header}`

/** The two parts of such a line; undefined for any other text. */
export function readArtifactLine(line: string): { link: string; header: string } | undefined {
  const [link, header] = [line.slice(0, 64), line.slice(65)]
  return /^[0-9a-f]{64} $/.test(line.slice(0, 65)) ? { link, header } : undefined
}

/** A line of payloads.ndjson: a payload with the salt (hex) of its commitment, or the id of the artifact of its erasure. */
export type PackPayload =
  | { artifact_id: string; salt: string; payload: unknown }
  | { artifact_id: string; erased_by: string }
