// The network under which the rules about sign-ins count an address: its IPv4 /24 or its IPv6 /48.
import { readCidr } from '../access/allowlist.ts'

/** `203.0.113.7` → `203.0.113.0/24`, `2001:db8:1:2::3` → `2001:db8:1::/48`. Other text is its own network. */
export function networkOf(ip: string): string {
  const host = readCidr(ip)
  if (!host) return ip
  if (host.family === 4) return `${host.address.split('.').slice(0, 3).join('.')}.0/24`
  const [head = [], tail] = host.address.split('::').map((half) => half.split(':').filter(Boolean))
  const zeros = Array.from({ length: tail ? 8 - head.length - tail.length : 0 }, () => '0')
  return `${[...head, ...zeros, ...(tail ?? [])].slice(0, 3).join(':')}::/48`
}
