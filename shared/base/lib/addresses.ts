// Which IP addresses a tenant may make us call: the public ones. A refused list alone would miss what is assigned next
// year, so of IPv6 only global unicast (RFC 4291 §2.4) is looked at in the first place.
import { BlockList, isIP } from 'node:net'

/** IANA special-purpose ranges (RFC 6890 and registry), multicast and reserved space. */
const REFUSED_V4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 ' +
  '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'

/** The first three are everything outside 2000::/3; the rest lies inside or says by name what must stay refused. */
const REFUSED_V6 =
  '::/3 4000::/2 8000::/1 ::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001:db8::/32 ' +
  '2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8'

/** A set of addresses from CIDRs separated by spaces or commas. Throws on one that is malformed. */
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
 * Whether an address may be called. `::ffff:a.b.c.d` in any spelling is judged as IPv4, for a socket treats it so; an
 * address with a zone is never public. `allowed` opens single ranges, for receivers on the developer's own machine.
 */
export function isCallable(address: string, allowed?: BlockList): boolean {
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return false
  if (family === 4) return allowed?.check(address, 'ipv4') || !refusedV4.check(address, 'ipv4')
  const refused = mappedV4.check(address, 'ipv6') ? refusedV4 : refusedV6
  return allowed?.check(address, 'ipv6') || !refused.check(address, 'ipv6')
}
