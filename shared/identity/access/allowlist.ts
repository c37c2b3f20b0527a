// From which addresses a tenant lets its people and machines in. No rules: from everywhere. IPv4 callers are judged by
// IPv4 rules and IPv6 callers by IPv6 rules, also where an IPv4 address arrives mapped into IPv6.
import net from 'node:net' // as a whole: naming BlockList would load it at the start of every function
import { forbidden } from '../../base/lib/failure.ts'
import { hasFeature } from '../tenants/features.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { readCidr } from './cidr.ts'

type Families = { 4: net.BlockList; 6: net.BlockList }

/** By the list itself: a tenant is read every 30 seconds and asked about on every request. */
const compiled = new WeakMap<readonly string[], Families>()

/** `cidrs` as `readCidr` accepts them. An address that cannot be read is never allowed by a list that has rules. */
export function isAllowed(cidrs: readonly string[], ip: string): boolean {
  if (cidrs.length === 0) return true
  const caller = readCidr(ip)
  if (!caller) return false
  const families = compiled.get(cidrs) ?? compile(cidrs)
  return families[caller.family].check(caller.address, `ipv${caller.family}`)
}

function compile(cidrs: readonly string[]): Families {
  const families: Families = { 4: new net.BlockList(), 6: new net.BlockList() }
  for (const cidr of cidrs) {
    const network = readCidr(cidr)
    if (network) families[network.family].addSubnet(network.address, network.prefix, `ipv${network.family}`)
  }
  compiled.set(cidrs, families)
  return families
}

type Gate = Pick<Tenant, 'plan' | 'ip_allowlist'>

/** Rules of a tenant that has left the plan rest: they neither refuse nor are forgotten. */
export const letsIn = (tenant: Gate, ip: string): boolean =>
  !hasFeature(tenant, 'ip_allowlist') || isAllowed(tenant.ip_allowlist, ip)

/** Throws 403 for a caller whose address the tenant does not let in. */
export function mustBeAllowed(tenant: Gate, ip: string): void {
  if (letsIn(tenant, ip)) return
  throw forbidden("this address is not on the tenant's allowlist", { code: 'ip_not_allowed' })
}
