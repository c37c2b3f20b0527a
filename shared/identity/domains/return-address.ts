// Addresses to which people are sent back from a page of a provider, as the caller of a verb chooses them. A link that began at the
// provider of a payment is trusted, so it must not end at a page of somebody else. Addresses that are registered beforehand (redirect
// URIs, single sign-on, connectors) have their own lists.
import type { Context } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { Failure, invalid } from '../../base/lib/failure.ts'
import { isLoopback } from '../../base/lib/redirect-uri.ts'
import { verifiedDomain } from './domain.ts'

const UNSAFE = /[\s\\\p{Cc}]/u
/** Most labels of a host above which a domain is looked for. */
const LABELS_MAX = 10

/**
 * Throws 422 unless the address is on a verified domain of the tenant or below it, on the application host of this deployment, or on a
 * loopback address, which may be http.
 */
export async function mustBeReturnAddress(ctx: Context, member: string, text: string): Promise<void> {
  const url = URL.parse(text)
  if (!url || !isPlain(text, url))
    throw invalid([member], 'must be an absolute URL without credentials, spaces and backslashes')
  if (isLoopback(url) || url.origin === new URL(env('APP_URL')).origin) return
  if (url.protocol !== 'https:') throw invalid([member], 'must be an https URL')
  if (!(await isVerified(ctx, url.hostname))) throw unverified(member)
}

/** The host stands in the text as it was read, and nothing before it: no two programs read such an address in two ways. */
function isPlain(text: string, { protocol, host }: URL): boolean {
  const start = `${protocol}//${host}`
  const rest = text.slice(start.length)
  return text.toLowerCase().startsWith(start) && /^(?:[/?#]|$)/.test(rest) && text.isWellFormed() && !UNSAFE.test(text)
}

async function isVerified({ table, space: { tenant_id } }: Context, host: string): Promise<boolean> {
  const labels = host.split('.').slice(-LABELS_MAX)
  const domains = labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
  const found = await Promise.all(domains.map((domain) => verifiedDomain(table, tenant_id, domain)))
  return found.includes('verified')
}

function unverified(member: string): Failure {
  const msg =
    `must be on a domain that your organisation has verified, on ${new URL(env('APP_URL')).host} or on localhost. ` +
    'An administrator verifies a domain with POST /api/v1/tenants/{tenant_id}/domain/verification.'
  return new Failure('invalid', [{ loc: ['body', member], msg, type: 'value_error' }], { code: 'domain_not_verified' })
}
