// The parts of an endpoint that are sealed under its tenant's data key: signing secrets and header values.
import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { openBytes, sealBytes } from '../../ledger/sealing/seal.ts'
import { iso } from '../../base/lib/clock.ts'
import { type Endpoint, endpoints } from './endpoint.ts'

const SealedParts = z.object({
  /** By the secret's id. */
  secrets: z.record(z.string(), z.string()),
  headers: z.record(z.string(), z.string()),
})
export type SealedParts = z.output<typeof SealedParts>

const ATTRIBUTE = 'sealed'

export const sealParts = (of: Space & { id: string }, parts: SealedParts): Promise<Uint8Array> =>
  sealBytes(of, endpoints.key(of), ATTRIBUTE, Buffer.from(JSON.stringify(parts)))

export async function openParts(endpoint: Endpoint): Promise<SealedParts> {
  const plain = await openBytes(endpoint, endpoints.key(endpoint), ATTRIBUTE, endpoint.sealed)
  return SealedParts.parse(JSON.parse(plain.toString()))
}

/** Whether a secret signs at an instant (ms). Expiry is compared here and nowhere else. */
export const isValidAt = ({ expires_at }: { expires_at?: string | undefined }, now: number): boolean =>
  expires_at === undefined || expires_at > iso(now)

/** The secrets that sign at an instant (ms), the current one first, then the newest. */
export function validSecrets(endpoint: Endpoint, { secrets }: SealedParts, now: number): [string, ...string[]] {
  const [current, ...former] = endpoint.secrets
    .filter((one) => isValidAt(one, now))
    .toSorted((a, b) => Number(a.expires_at !== undefined) - Number(b.expires_at !== undefined))
    .map(({ id }) => secrets[id])
    .filter((secret) => secret !== undefined)
  if (current === undefined) throw new Error('the endpoint has no secret')
  return [current, ...former]
}
