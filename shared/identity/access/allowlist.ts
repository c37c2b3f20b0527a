// The addresses from which a tenant accepts requests. Without rules it accepts all. IPv4 rules apply to IPv4 callers and IPv6
// rules to IPv6 callers. An IPv4 address that is mapped into IPv6 counts as IPv4.
import net from 'node:net' // as a whole: naming BlockList would load it at the start of every function
import { forbidden } from '../../base/lib/failure.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { readCidr } from './cidr.ts'

type Families = { 4: net.BlockList; 6: net.BlockList }

/** Cached by list, because the tenant is read every 30 seconds and its list is checked at every request. */
const compiled = new WeakMap<readonly string[], Families>()

/** `cidrs` as `readCidr` accepts them. A list with rules refuses an address that cannot be read. */
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

type Gate = Pick<Tenant, 'ip_allowlist'>

/** Rules count on every plan: a lower one must not let strangers in. */
export const allowsAddress = ({ ip_allowlist }: Gate, ip: string): boolean => isAllowed(ip_allowlist, ip)

/** Whether a rule of the tenant names the address; false where there are no rules. */
export const isListed = ({ ip_allowlist }: Gate, ip: string): boolean =>
  ip_allowlist.length > 0 && isAllowed(ip_allowlist, ip)

/** Throws 403 for a caller whose address the tenant does not accept. */
export function mustBeAllowed(tenant: Gate, ip: string): void {
  if (allowsAddress(tenant, ip)) return
  throw forbidden(
    "Your address is not on the tenant's allowlist. Call from a listed network, or ask an administrator to add yours.",
    { code: 'ip_not_allowed' },
  )
}
