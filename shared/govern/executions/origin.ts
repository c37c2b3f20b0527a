// Where a request comes from: its address and the roles of its caller. Of a held action they are sealed in its execution: the
// second decision, hours later and in the request of somebody else, must see the same facts.
import type { Context } from '../../base/context.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { isListed } from '../../identity/access/allowlist.ts'
import { openBytes, sealBytes } from '../../ledger/sealing/seal.ts'
import type { CompiledSet } from '../governance/conditions/compile.ts'
import { type Execution, executions } from './execution.ts'
import { Failure } from '../../base/lib/failure.ts'

export type Origin = {
  ip?: string | undefined
  /** ISO 3166-1 alpha-2. Only where a policy reads it, because its file is large. */
  country?: string | undefined
  /** A rule of the tenant's allow-list names the address. */
  allow_listed?: boolean | undefined
  roles: readonly string[]
}

/** The origin of the present request, as far as the policies read it. */
export async function originOf({ table, space, principal, request }: Context, { reads }: CompiledSet): Promise<Origin> {
  const { ip } = request
  const { roles } = principal
  if (ip === '') return { roles }
  const allow_listed = isListed(await tenantOf(table, space.tenant_id), ip)
  return { ip, allow_listed, roles, ...(reads.has('request.country') && { country: await countryIn(ip) }) }
}

async function countryIn(ip: string): Promise<string | undefined> {
  const { countryOf } = await import('../../identity/security-events/country.ts') // few policies read it
  return (await countryOf(ip)) ?? undefined
}

/** Seals an origin. It is erased with the data subject `subject_ref`. */
export function sealOrigin({ space }: Context, { id, subject_ref }: Execution, origin: Origin) {
  const { ip = '', country = '', allow_listed = false, roles } = origin
  const text = [[ip, country, allow_listed ? 'listed' : ''].join(), ...roles].join(' ')
  return sealBytes(space, executions.key({ ...space, id }), 'origin', Buffer.from(text), { keyName: subject_ref })
}

/** Undefined when it was not stored or is erased; unknown facts tighten the decision. */
export async function openOrigin({ space }: Context, execution: Execution): Promise<Origin | undefined> {
  if (!execution.origin) return undefined
  try {
    const bytes = await openBytes(space, executions.key(execution), 'origin', execution.origin)
    const [place = '', ...roles] = bytes.toString().split(' ')
    const [ip, country, listed] = place.split(',')
    const allow_listed = listed === undefined ? undefined : listed === 'listed' // older ones do not say
    return { ip: ip || undefined, country: country || undefined, allow_listed, roles }
  } catch (error) {
    if (error instanceof Failure && error.kind === 'conflict') return undefined // erased
    throw error
  }
}
