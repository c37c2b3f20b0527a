// The parts of an endpoint that are sealed under its tenant's data key: signing secrets and header values.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { openBytes, sealBytes } from '../../../ledger/sealing/seal.ts'
import { iso } from '../../../base/lib/clock.ts'
import { type Endpoint, endpoints, endpointsKey } from './endpoint.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { MODES } from '../../../base/table/members.ts'

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

/** Endpoints of both modes that this person made, also with a key or a client: their first secret says whose it was. */
export async function endpointsMadeBy(ctx: Context, user_id: string): Promise<Stored<Endpoint>[]> {
  const isTheirs = ({ created_by: { type, id }, secrets }: Endpoint) =>
    id === user_id || (type !== 'user' && secrets.some(({ seen_by }) => seen_by === user_id))
  return (await allEndpoints(ctx)).filter(isTheirs)
}

/** Endpoints of both modes that sign with a secret which this person has seen and whose rotation is not yet due. */
export async function endpointsSeenBy(ctx: Context, user_id: string): Promise<Stored<Endpoint>[]> {
  const now = ctx.now()
  const isKnown = ({ secrets }: Endpoint) =>
    secrets.some((one) => one.seen_by === user_id && one.rotation_due_since === undefined && isValidAt(one, now))
  return (await allEndpoints(ctx)).filter(isKnown)
}

async function allEndpoints({ table, space }: Context): Promise<Stored<Endpoint>[]> {
  const found = await Promise.all(
    MODES.map((mode) => table.query(endpoints, { pk: endpointsKey({ tenant_id: space.tenant_id, mode }) })),
  )
  return found.flat()
}

/** Marks the secrets that the person has seen as due. They are not replaced, because that would break the receiver. */
export function withMarkedSecrets<E extends Endpoint>(endpoint: E, user_id: string, now: number): E {
  const rotation_due_since = iso(now)
  const secrets = endpoint.secrets.map((one) =>
    one.seen_by === user_id && one.rotation_due_since === undefined ? { ...one, rotation_due_since } : one,
  )
  return { ...endpoint, secrets }
}
