// Decides which URLs and which IP addresses may be called: https to a public name or address, and http only where the local service may
// call loopback. A literal address is checked here, because a socket does no name lookup for it.
import { Resolver } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

/** All addresses of a name; rejects when there are none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<string[]>

export type OutboundRules = {
  /** Addresses that may be called although they are not public. */
  allowed?: BlockList | undefined
  /** Whether plain http is allowed to `localhost` and to the addresses of `allowed`. */
  http: boolean
  resolve: Resolve
}

/** The target resolves to an address that must not be called. */
export class BlockedTarget extends Error {}

const LOOKUP_MS = 2_000
const REFUSED_NAME = /(^|\.)(localhost|local|internal|home\.arpa|test|invalid|onion)$/

/** The rules of this process. Only the local service sets the two settings. */
export function outboundRules(): OutboundRules {
  const { OUTBOUND_ALLOW_CIDRS: cidrs, OUTBOUND_ALLOW_HTTP: http } = process.env
  return { allowed: cidrs ? addressSet(cidrs) : undefined, http: Boolean(http), resolve: resolveName }
}

/** Why this URL is refused before its name is resolved; undefined when it is not. */
export function refusalOfUrl(text: string, rules: Omit<OutboundRules, 'resolve'>): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'must be an absolute URL'
  if (url.protocol !== 'https:' && !(rules.http && url.protocol === 'http:')) return 'must be an https URL'
  if (url.username || url.password) return 'must not carry user information'
  if (url.port !== '' && Number(url.port) < 1024) return 'port must be 443 or at least 1024'
  const host = bareHost(url.hostname)
  if (isIP(host) ? isCallable(host) : isPublicName(host))
    return url.protocol === 'http:' ? 'must be an https URL outside loopback' : undefined
  if (isIP(host)) return isCallable(host, rules.allowed) ? undefined : 'must be a public address'
  return rules.allowed && host === 'localhost' ? undefined : 'must be a public host name'
}

/** A name that resolves to loopback counts as public: who owns it may let it resolve to another address at any time. */
const isPublicName = (host: string) => host.includes('.') && !host.endsWith('.') && !REFUSED_NAME.test(host)

/** Why a host is refused because of its present addresses; undefined when it is not, or has none. */
export async function refusalOfHost(host: string, rules: OutboundRules): Promise<string | undefined> {
  try {
    await callableAddresses(host, rules, AbortSignal.timeout(LOOKUP_MS))
  } catch (error) {
    if (error instanceof BlockedTarget) return 'must resolve to public addresses only'
  }
  return undefined
}

/** The addresses of a host. Throws when any of them must not be called: a legitimate name has no such address. */
export async function callableAddresses(host: string, rules: OutboundRules, signal: AbortSignal): Promise<string[]> {
  const bare = bareHost(host)
  const addresses = isIP(bare) ? [bare] : await rules.resolve(bare, signal)
  if (!addresses.every((address) => isCallable(address, rules.allowed))) throw new BlockedTarget()
  return addresses
}

/**
 * Queries the name servers directly: with getaddrinfo a hostile name server could block one of the process's four
 * file-system threads.
 */
async function resolveName(name: string, signal: AbortSignal): Promise<string[]> {
  if (name === 'localhost') return ['127.0.0.1', '::1']
  const resolver = new Resolver({ timeout: LOOKUP_MS, tries: 2 })
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0) throw new Error('the name has no address')
    return addresses
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

const bareHost = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

/** IANA special-purpose ranges (RFC 6890 and registry), multicast and reserved space. */
const REFUSED_V4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 ' +
  '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'

/**
 * The first three ranges are everything outside 2000::/3, which is global unicast (RFC 4291, section 2.4): a list of refused ranges would
 * miss future assignments. The rest are special ranges inside it, or repeat one by name.
 */
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
