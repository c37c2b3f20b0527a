// The text of an inclusion proof (c2sp.org/tlog-proof). Together with the artifact and the log's public key it proves that
// the artifact is in the log.
import type { Frontier } from '../chain/merkle.ts'

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
export function parseTlogProof(text: string): TlogProof | undefined {
  const [, index, path = '', checkpoint = ''] =
    /^c2sp\.org\/tlog-proof@v1\nindex (0|[1-9]\d{0,14})\n((?:[A-Za-z0-9+/]{43}=\n)*)\n([^]+)$/.exec(text) ?? []
  if (index === undefined) return undefined
  const hashes = path.split('\n').slice(0, -1)
  return { index: Number(index), hashes: hashes.map((hash) => Buffer.from(hash, 'base64')), checkpoint }
}
