// How the API shows an artifact. Everything shown comes from the header, so nothing shown is outside the hash, except the
// position, which the chain itself proves.
import * as z from 'zod'
import { artifactIdOf, type StoredArtifact } from './artifact.ts'
import { publicHash } from './hashes.ts'
import { Header } from './header.ts'

const shown = {
  artifact_id: true,
  type: true,
  occurred_at: true,
  request_id: true,
  subject: true,
  node_id: true,
  action_id: true,
  actor: true,
  outcome: true,
} as const

export const ArtifactView = z.object({
  ...Header.pick(shown).shape,
  /** `sha256:<hex>` */
  hash: z.string(),
  /** `pending`: no position yet; `anchored`: under a signed checkpoint. */
  chain_status: z.enum(['pending', 'sequenced', 'anchored']),
  sequence: z.int().nullable(),
  previous_hash: z.string().nullable(),
  chain_hash: z.string().nullable(),
  payload_status: z.enum(['sealed', 'erased', 'none']),
})
export type ArtifactView = z.output<typeof ArtifactView>

/** With the canonical text that the hash covers. */
export const ArtifactDetail = ArtifactView.extend({ header: z.string() })

/** `anchored`: the size of the newest checkpoint. */
export function viewArtifact(item: StoredArtifact, anchored: number): ArtifactView {
  const header: Header = JSON.parse(item.header)
  return {
    ...header,
    artifact_id: artifactIdOf(item.sk),
    hash: publicHash(item.ah),
    chain_status: item.seq === undefined ? 'pending' : item.seq < anchored ? 'anchored' : 'sequenced',
    sequence: item.seq ?? null,
    previous_hash: item.prev ? publicHash(item.prev) : null,
    chain_hash: item.ch ? publicHash(item.ch) : null,
    payload_status: header.payload_commitment === undefined ? 'none' : item.erased ? 'erased' : 'sealed',
  }
}
