// One artifact with the proof that it is in the signed log: its exact header, the previous link and an inclusion proof. For
// verifiers without the rest of the chain. It depends on Node only.
import { canonicalJson } from '../../../base/lib/json.ts'
import { readHeader } from '../artifact/referenced-artifacts.ts'
import { artifactHash, link } from '../artifact/hashes.ts'
import type { Header } from '../artifact/header.ts'
import { type Frontier, leafHash } from '../chain/merkle.ts'
import { type NoteKey, openNote, parseCheckpoint } from './note.ts'
import { includes } from './proofs.ts'

/** `previous`: the link before it (hex). `proof`: the text of a tlog-proof whose leaf is the artifact's own link. */
export type Proven = { header: string; previous: string; proof: string }

export type Proof = { facts: Partial<Header>; sequence: number; checkpoint: { size: number; root: Uint8Array } }

/** The log that a verifier trusts. `keysFor` gives the keys that are valid for a checkpoint of a size. */
export type Log = { chain: string; origin: string; keysFor: (size: number) => readonly NoteKey[] }

/** The proven facts; undefined for another log, another artifact, or without a valid signature. */
export function openProven({ header, previous, proof }: Proven, { chain, origin, keysFor }: Log): Proof | undefined {
  const read = parseTlogProof(proof)
  const facts = readHeader(header)
  const checkpoint = read && openCheckpoint(read.checkpoint, keysFor)
  if (!facts || !checkpoint || checkpoint.origin !== origin || facts.chain !== chain) return undefined
  if (canonicalJson(facts) !== header) return undefined
  const leaf = leafHash(link(chain, read.index, Buffer.from(previous, 'hex'), artifactHash(header)))
  if (!includes({ ...checkpoint, leaf, index: read.index, proof: read.hashes })) return undefined
  return { facts, sequence: read.index, checkpoint }
}

/** The checkpoint of a note, if a key that is valid for its size has signed it. */
export function openCheckpoint(note: string, keysFor: Log['keysFor']) {
  const claimed = parseCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1))
  return claimed && openNote(note, keysFor(claimed.size)) !== undefined ? claimed : undefined
}

/**
 * An inclusion proof, whose text is a c2sp.org/tlog-proof. Together with the artifact and the log's public key it proves that
 * the artifact is in the log.
 */
export type TlogProof = {
  index: number
  /** Sibling hashes, from the leaf's to the root's child. */
  hashes: Frontier
  /** The signed checkpoint, verbatim. */
  checkpoint: string
}

export function tlogProof({ index, hashes, checkpoint }: TlogProof): string {
  const path = hashes.map((hash) => `${Buffer.from(hash).toString('base64')}\n`).join('')
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${path}\n${checkpoint}`
}

/** Undefined when the text is malformed. */
function parseTlogProof(text: string): TlogProof | undefined {
  const [, index, path = '', checkpoint = ''] =
    /^c2sp\.org\/tlog-proof@v1\nindex (0|[1-9]\d{0,14})\n((?:[A-Za-z0-9+/]{43}=\n)*)\n([^]+)$/.exec(text) ?? []
  if (index === undefined) return undefined
  const hashes = path.split('\n').slice(0, -1)
  return { index: Number(index), hashes: hashes.map((hash) => Buffer.from(hash, 'base64')), checkpoint }
}
