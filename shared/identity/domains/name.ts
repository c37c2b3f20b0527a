// Which names a tenant may ask to verify: those that one organisation alone can own. What many people share (public
// suffixes, mail providers, our own hosts) is refused here, whatever its DNS says.
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { invalid } from '../../base/lib/failure.ts'
import { CONSUMER_MAIL } from './consumer-mail.ts'

/** RFC 1123: letters, digits and inner hyphens. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** Where a URL's host ends: the parser would silently drop what follows, or decode it. */
const BEYOND_HOST = /[/\\?#@:%\s]/
/** RFC 1035: 253 characters for a name, of which the record's own label takes 20. */
const LENGTH_MAX = 233

const refuse = (why: string) => invalid(['domain'], why)

/** ASCII, lower case, without a dot at the end. Throws 422 for what is no host name of at least two labels. */
export function normalised(text: string): string {
  const host = text.trim().replace(/\.$/, '')
  const domain = BEYOND_HOST.test(host) ? '' : domainToASCII(host).toLowerCase()
  const labels = domain.split('.')
  if (isIP(domain) !== 0) throw refuse('must be a domain, not an address')
  if (domain.startsWith('*.')) throw refuse('must be one domain, not a wildcard')
  if (!labels.every((label) => LABEL.test(label))) throw refuse('must be a domain name')
  if (labels.length < 2) throw refuse('must have at least two labels')
  if (domain.length > LENGTH_MAX) throw refuse(`must have at most ${LENGTH_MAX} characters`)
  return domain
}

/** Throws 422 for a normalised domain that no tenant can own. `ownHosts`: those that this service answers on. */
export async function mustBeOwnable(domain: string, ownHosts: readonly string[]): Promise<void> {
  const { parse } = await import('tldts') // the public suffix list is large, and only asking for verification needs it
  const { publicSuffix } = parse(domain, { allowPrivateDomains: true })
  if (publicSuffix === domain) throw refuse('must not be a public suffix')
  if (CONSUMER_MAIL.has(parse(domain).domain ?? domain)) throw refuse('must not belong to a public mail provider')
  if (ownHosts.some((host) => isInside(host, domain) || isInside(domain, host))) {
    throw refuse('must not be a host of this service')
  }
}

const isInside = (domain: string, parent: string) => domain === parent || domain.endsWith(`.${parent}`)
