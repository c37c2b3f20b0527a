// Finds the host of an address, and whether it lies in a domain. An ambiguous address has no host, so it counts as external.

// oxlint-disable-next-line no-control-regex -- the expression finds control characters
const AMBIGUOUS = /[\s\\\u0000-\u001f\u007f-\u009f]/
/** Host names that need no parsing: lower case, ASCII, and not the spelling of an IP address. */
const PLAIN = /^(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*$/

function parsed(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { hostname, username, password } = new URL(url)
  return username || password || hostname === '' ? undefined : hostname.replace(/\.$/, '')
}

/** The ASCII host of a mail address, a host name or an absolute URL without user info; undefined for any other text. */
export function hostOf(text: string): string | undefined {
  if (PLAIN.test(text)) return text
  if (AMBIGUOUS.test(text)) return undefined
  if (text.includes('://')) return parsed(text)
  const host = /^(?:[^@/:?#]{1,256}@)?([\p{L}\p{N}.-]{1,253})$/u.exec(text)?.[1]
  return host === undefined ? undefined : parsed(`https://${host}`)
}

/** Domains in the form that `isInside` takes: ASCII, lower case, without a leading dot. */
export const asDomains = (names: readonly string[]): string[] =>
  names.map((name) => hostOf(name.replace(/^\./, '')) ?? name.toLowerCase())

/** Whether a host from `hostOf` is one of the domains from `asDomains`, or a subdomain of one. */
export const isInside = (host: string, domains: readonly string[]): boolean =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`))
