// Parses networks strictly. Forms that other parsers read as another network (`010.1.1.1`, `1.2.3/8`, host bits that are set)
// are refused, because a misread rule would let strangers in.
import { isIPv4, isIPv6 } from 'node:net'

const BITS = { 4: 32, 6: 128 } as const
const PREFIX = /^(0|[1-9]\d{0,2})$/

/** `address` in its shortest form; an IPv4-mapped IPv6 network is the IPv4 network that it stands for. */
export type Network = { family: 4 | 6; address: string; prefix: number }

/** A plain address is the network of that address alone. Undefined for anything that is not exactly one network. */
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
