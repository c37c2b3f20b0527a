import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import type { Endpoint } from './manifest.ts'

const known = new WeakMap<Endpoint, string>()

/** Names what an action is: SHA-256 (hex) of the canonical JSON of its endpoint. What was learnt on one covers no other. */
export function endpointHash(endpoint: Endpoint): string {
  const before = known.get(endpoint)
  if (before !== undefined) return before
  const made = sha256Hex(canonicalJson(endpoint))
  known.set(endpoint, made)
  return made
}
