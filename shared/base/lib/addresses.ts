// Decides which IP addresses the service may call for a tenant: public ones only. For IPv6, everything outside global
// unicast (RFC 4291, section 2.4) is refused, because a list of refused ranges would miss future assignments.
import { BlockList, isIP } from 'node:net'

/** IANA special-purpose ranges (RFC 6890 and registry), multicast and reserved space. */
const REFUSED_V4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 ' +
  '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'

/** The first three ranges are everything outside 2000::/3. The rest are special ranges inside it, or repeat one by name. */
const REFUSED_V6 =
  '::/3 4000::/2 8000::/1 ::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 ' +
  '2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8'

/** A set of addresses from CIDRs separated by spaces or commas. Throws on a malformed CIDR. */
export function addressSet(cidrs: string): BlockList {
  const set = new BlockList()
  for (const cidr of cidrs.split(/[\s,]+/).filter(Boolean)) {
    const [network = '', bits] = cidr.split('/')
    set.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4')
  }
  return set
}

const refusedV4 = addressSet(REFUSED_V4)
const refusedV6 = addressSet(REFUSED_V6)
const mappedV4 = addressSet('::ffff:0:0/96')

/**
 * Whether an address may be called. `::ffff:a.b.c.d` in any spelling is checked as IPv4, because a socket connects to it as
 * IPv4. An address with a zone is never public. `allowed` adds ranges, for receivers on the developer's machine.
 */
export function isCallable(address: string, allowed?: BlockList): boolean {
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return false
  if (family === 4) return allowed?.check(address, 'ipv4') || !refusedV4.check(address, 'ipv4')
  const refused = mappedV4.check(address, 'ipv6') ? refusedV4 : refusedV6
  return allowed?.check(address, 'ipv6') || !refused.check(address, 'ipv6')
}
