import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { MODES } from '../../base/table/members.ts'
import { type Endpoint, endpoints, endpointsKey } from './endpoint.ts'
import { isValidAt } from './sealed-parts.ts'

/** Endpoints of both modes that sign with a secret which this person has seen and whose rotation is not yet due. */
export async function endpointsSeenBy(ctx: Context, user_id: string): Promise<Stored<Endpoint>[]> {
  const { tenant_id } = ctx.space
  const now = ctx.now()
  const found = await Promise.all(
    MODES.map((mode) => ctx.table.query(endpoints, { pk: endpointsKey({ tenant_id, mode }) })),
  )
  const isKnown = ({ secrets }: Endpoint) =>
    secrets.some((one) => one.seen_by === user_id && one.rotation_due_since === undefined && isValidAt(one, now))
  return found.flat().filter(isKnown)
}

/** Marks the secrets that the person has seen as due. They are not replaced, because that would break the receiver. */
export function withMarkedSecrets<E extends Endpoint>(endpoint: E, user_id: string, now: number): E {
  const rotation_due_since = iso(now)
  const secrets = endpoint.secrets.map((one) =>
    one.seen_by === user_id && one.rotation_due_since === undefined ? { ...one, rotation_due_since } : one,
  )
  return { ...endpoint, secrets }
}
