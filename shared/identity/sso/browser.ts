// Runs the steps of a sign-in in a browser, which a cookie identifies. A refusal becomes a page for the person and an entry in the
// tenant's audit log.
import { writeAuditEntry } from '../../ledger/audit/write-audit-entry.ts'
import type { Context } from '../../base/context.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { html, page } from '../../base/wire/page.ts'
import { Failure } from '../../base/lib/failure.ts'
import { warn } from '../../base/lib/log.ts'
import { InvalidMessage } from './refusal.ts'
import { inTenant } from '../accounts/find.ts'
import { newSecret } from '../access/one-time.ts'
import type { Headers } from '../../base/wire/rest-event.ts'
import { env } from '../../base/lib/runtime.ts'

/** The identity provider does not answer, or breaks the protocol: 502. */
export class ProviderFailed extends Error {}

/** `tenant_id`: set as soon as the tenant is found, so that a refusal can be audited there. */
export type Attempt = { tenant_id?: string }

/** Also when the person has cancelled. */
const NOT_SIGNED_IN = 'The identity provider did not sign you in.'

/** For people, instead of why a message is not valid. */
const UNREADABLE = 'The answer of the identity provider could not be accepted.'

/** Runs one step of a browser's sign-in; refusals become pages, and faults of the service are thrown. */
export async function inBrowser(ctx: Context, run: (attempt: Attempt) => Promise<HttpResponse>): Promise<HttpResponse> {
  const attempt: Attempt = {}
  try {
    return await run(attempt)
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    warn('sso_refused', refusal.reason, { code: codeOf(error), ...ctx.request })
    await note(ctx, attempt, refusal)
    return page(
      'Signing in did not work',
      html`<p role="alert">${refusal.shown}</p>
        <p>
          Go back to where you came from and try again. If that does not help, give your administrator the number
          ${ctx.request.request_id}, which finds the cause in the audit log.
        </p>`,
      { status: refusal.status },
    )
  }
}

/** `reason` is for administrators, `shown` for the person. */
type Refusal = { reason: string; shown: string; status: number }

function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof ProviderFailed) return { reason: error.message, shown: error.message, status: 502 }
  if (!(error instanceof Failure) || error.status >= 500 || typeof error.detail !== 'string') return undefined
  const { detail, status } = error
  if (!(error instanceof InvalidMessage)) return { reason: detail, shown: detail, status }
  return {
    reason: `${error.because}: ${detail}`,
    shown: error.because === 'status' ? NOT_SIGNED_IN : UNREADABLE,
    status,
  }
}

/** The error code of a library. Its messages may repeat data of the request, so they are not logged. */
function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z_]{1,64}$/.test(code) ? code : undefined
}

async function note(ctx: Context, { tenant_id }: Attempt, { reason }: Refusal): Promise<void> {
  if (tenant_id === undefined) return
  await writeAuditEntry(inTenant(ctx, tenant_id), {
    action: 'user.sign_in',
    subject: { type: 'sso', id: tenant_id },
    outcome: 'failure',
    reason,
  })
}

const SECONDS = 600
const VALUE = /^[\w-]{43}$/

/** Browsers accept cookies with the prefix `__Host-` only over https. */
const isSecure = () => env('BASE_URL').startsWith('https:')
const nameOf = () => (isSecure() ? '__Host-sso' : 'sso')

/** The cookie that binds a sign-in to its browser; undefined when there is no valid one. */
export function readCookie(headers: Headers): string | undefined {
  const start = `${nameOf()}=`
  const pairs = (headers.cookie ?? '').split(/[;,]/).map((pair) => pair.trim())
  const value = pairs.find((pair) => pair.startsWith(start))?.slice(start.length)
  return value !== undefined && VALUE.test(value) ? value : undefined
}

/** The cookie of the browser or a new one. It is kept, so that a second tab does not break the sign-in of the first. */
export const cookieFor = (ctx: Context, headers: Headers): string => readCookie(headers) ?? newSecret(ctx.random)

/** SAML answers come as a form posted by another site, so the cookie must be sent with requests from other sites. */
export function cookieHeader(value: string): { 'Set-Cookie': string } {
  const attributes = isSecure() ? '; Secure; SameSite=None' : ''
  return { 'Set-Cookie': `${nameOf()}=${value}; Path=/; Max-Age=${SECONDS}; HttpOnly${attributes}` }
}
