// The hashes of the evidence format, version 1. Each begins with its own tag, so a value of one kind cannot pass for another
// kind. All inputs are bytes or canonical JSON (RFC 8785); all results are 32 bytes.
import { canonicalJson, sha256 } from '../../../base/lib/json.ts'

/** The content to which the first link of a chain commits. Hashes are lower-case hex, times ISO 8601. */
export type Genesis = { chain: string; created_at: string; key_spki_sha256: string; origin: string }

/** The chain of one tenant and mode: `<tenant_id>/<mode>`. */
export const chainName = (space: { tenant_id: string; mode: string }): string => `${space.tenant_id}/${space.mode}`

/** Commits to a payload without revealing it. The salt of 32 random bytes makes a short payload unguessable. */
export const payloadCommitment = (salt: Uint8Array, payload: unknown): Buffer =>
  sha256(Buffer.concat([Buffer.from('gov.evidence/v1/payload\n'), salt, Buffer.from(canonicalJson(payload))]))

/** `header` is the canonical text exactly as it is stored. */
export const artifactHash = (header: string): Buffer => sha256(`\0gov.evidence/v1/artifact\n${header}`)

/** The link before the first artifact. */
export const genesisLink = ({ chain, created_at, key_spki_sha256, origin }: Genesis): Buffer =>
  sha256(`gov.evidence/v1/genesis\n${canonicalJson({ chain, created_at, key_spki_sha256, origin })}`)

/** Link `index` (0, 1, 2 …) of a chain. It commits to the artifact, its position and, through `previous`, all before it. */
export function link(chain: string, index: number, previous: Uint8Array, artifact: Uint8Array): Buffer {
  const position = Buffer.alloc(8)
  position.writeBigUInt64BE(BigInt(index))
  return sha256(Buffer.concat([Buffer.from(`gov.evidence/v1/link\n${chain}\n`), position, previous, artifact]))
}

/** `sha256:<hex>`, the form in which the API and events show a hash. */
export const publicHash = (bytes: Uint8Array): string => `sha256:${hex(bytes)}`

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
