import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { MODES } from '../../base/table/members.ts'
import { type Endpoint, endpoints, endpointsKey } from './endpoint.ts'
import { isValidAt } from './sealed-parts.ts'

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
