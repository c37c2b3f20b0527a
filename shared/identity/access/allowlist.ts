// The addresses from which a tenant accepts requests. Without rules it accepts all. IPv4 rules apply to IPv4 callers and IPv6
// rules to IPv6 callers. An IPv4 address that is mapped into IPv6 counts as IPv4.
import net, { isIPv4, isIPv6 } from 'node:net'
import { forbidden } from '../../base/lib/failure.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'

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

const BITS = { 4: 32, 6: 128 } as const
const PREFIX = /^(0|[1-9]\d{0,2})$/

/** `address` in its shortest form; an IPv4-mapped IPv6 network is shown as the IPv4 network. */
export type Network = { family: 4 | 6; address: string; prefix: number }

/**
 * A plain address is the network of that address alone. Undefined for anything that is not exactly one network. Forms that other
 * parsers read as another network (`010.1.1.1`, `1.2.3/8`, host bits that are set) are refused, because a misread rule would let
 * strangers in.
 */
export function readCidr(text: string): Network | undefined {
  const [address = '', prefix, ...rest] = text.split('/')
  const bits = bitsOf(address)
  if (!bits || rest.length > 0 || (prefix !== undefined && !PREFIX.test(prefix))) return undefined
  const length = prefix === undefined ? bits.length : Number(prefix)
  if (length > bits.length || bits.slice(length).includes('1')) return undefined
  return networkOf(bits, length)
}

/** Whether networks together hold every address of IPv4 or of IPv6. */
export function coversEverybody(cidrs: readonly string[]): boolean {
  const networks = cidrs.map(readCidr).filter((network) => network !== undefined)
  return ([4, 6] as const).some((family) =>
    coversAll(
      networks.flatMap((one) => (one.family === family ? (bitsOf(one.address)?.slice(0, one.prefix) ?? []) : [])),
    ),
  )
}

/** Each prefix in binary digits: both halves must be covered. */
const coversAll = (prefixes: readonly string[]): boolean =>
  prefixes.includes('') || (prefixes.length > 1 && ['0', '1'].every((digit) => coversAll(halfOf(prefixes, digit))))

const halfOf = (prefixes: readonly string[], digit: string) =>
  prefixes.filter((prefix) => prefix.startsWith(digit)).map((prefix) => prefix.slice(1))

export const cidrText = ({ address, prefix }: Network): string => `${address}/${prefix}`

const MAPPED = `${'0'.repeat(80)}${'1'.repeat(16)}`

function networkOf(bits: string, prefix: number): Network {
  const mapped = bits.length === BITS[6] && prefix >= MAPPED.length && bits.startsWith(MAPPED)
  if (mapped) return networkOf(bits.slice(MAPPED.length), prefix - MAPPED.length)
  const family = bits.length === BITS[4] ? 4 : 6
  return { family, address: family === 4 ? textOfV4(bits) : textOfV6(bits), prefix }
}

/**
 * The address as 32 or 128 binary digits; undefined for other text. An address with a zone (`%eth0`) is local and refused.
 */
function bitsOf(address: string): string | undefined {
  if (isIPv4(address)) return address.split('.').map(octet).join('')
  if (!isIPv6(address) || address.includes('%')) return undefined
  const [head = '', tail] = hexOnly(address).split('::')
  const [before, after] = [groupsOf(head), groupsOf(tail ?? '')]
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after]
    .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
    .join('')
}

/** The last 32 bits may be written as IPv4 (RFC 4291 §2.2). */
const hexOnly = (address: string) =>
  address.replace(/[\d.]+\.\d+$/, (v4) => {
    const bits = v4.split('.').map(octet).join('')
    return [bits.slice(0, 16), bits.slice(16)].map((half) => Number.parseInt(half, 2).toString(16)).join(':')
  })

const octet = (decimal: string) => Number(decimal).toString(2).padStart(8, '0')
const groupsOf = (text: string) => text.split(':').filter(Boolean)
const chunks = (bits: string, size: number) => bits.match(new RegExp(`.{${size}}`, 'g')) ?? []
const textOfV4 = (bits: string) =>
  chunks(bits, 8)
    .map((byte) => Number.parseInt(byte, 2))
    .join('.')

/** The URL parser of Node writes IPv6 addresses in the form of RFC 5952. */
function textOfV6(bits: string): string {
  const groups = chunks(bits, 16).map((group) => Number.parseInt(group, 2).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
