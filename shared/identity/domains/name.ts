// Which domains a tenant may verify: those that one organisation alone can own. Shared ones (public suffixes, mail providers,
// hosts of this service) are refused, even if their DNS holds the record.
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { invalid } from '../../base/lib/failure.ts'
import { CONSUMER_MAIL } from './consumer-mail.ts'

/** RFC 1123: letters, digits and inner hyphens. */
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
/** Characters that end the host of a URL. The parser would silently drop or decode them. */
const BEYOND_HOST = /[/\\?#@:%\s]/
/** RFC 1035: a name has at most 253 characters, and the label of the record takes 20 of them. */
const LENGTH_MAX = 233

const refuse = (why: string) => invalid(['domain'], why)

/** ASCII, lower case, without a final dot. Throws 422 for anything but a host name of at least two labels. */
export function normaliseDomain(text: string): string {
  const host = text.trim().replace(/\.$/, '')
  const domain = BEYOND_HOST.test(host) ? '' : domainToASCII(host).toLowerCase()
  const labels = domain.split('.')
  if (isIP(domain) !== 0) throw refuse('This is an IP address. Give a domain.')
  if (domain.startsWith('*.')) throw refuse('This is a wildcard. Give a single domain.')
  if (!labels.every((label) => LABEL.test(label))) throw refuse('This is not a domain name. Give one like example.com.')
  if (labels.length < 2) throw refuse('The domain is too short. Give one with at least two labels, like example.com.')
  if (domain.length > LENGTH_MAX)
    throw refuse(`The domain is too long. Give one with at most ${LENGTH_MAX} characters.`)
  return domain
}

/** Throws 422 for a normalised domain that no tenant can own. `ownHosts`: the hosts of this service. */
export async function mustBeOwnable(domain: string, ownHosts: readonly string[]): Promise<void> {
  const { parse } = await import('tldts') // loaded late, because the public suffix list is large and only this function needs it
  const { publicSuffix } = parse(domain, { allowPrivateDomains: true })
  if (publicSuffix === domain) throw refuse('Nobody can own a public suffix. Give a domain below it.')
  if (CONSUMER_MAIL.has(parse(domain).domain ?? domain))
    throw refuse('The domain belongs to a public mail provider. Give a domain of your organisation.')
  if (ownHosts.some((host) => isInside(host, domain) || isInside(domain, host))) {
    throw refuse('The domain belongs to this service. Give a domain of your organisation.')
  }
}

const isInside = (domain: string, parent: string) => domain === parent || domain.endsWith(`.${parent}`)
