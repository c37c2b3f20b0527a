// The text of an inclusion proof (c2sp.org/tlog-proof): with the artifact, the log's public key and nothing else it shows
// that the artifact stands in the log.
import type { Frontier } from './merkle.ts'

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
