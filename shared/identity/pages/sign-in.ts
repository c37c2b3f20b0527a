// Signing in on a page of the service: the same verbs as for programs, their answers shown as forms, and the cookie of the service's
// own pages. The state between the two factors is in the form, as programs keep it.
import type { Context } from '../../base/context.ts'
import { HttpResponse } from '../../base/wire/call.ts'
import { Failure } from '../../base/lib/failure.ts'
import { type FactorFields, objectIn, proofIn } from '../mfa/show-factor.ts'
import { verifySignIn } from '../mfa/verify-sign-in.ts'
import { type MfaRequired, SignInView, type Tokens } from '../sessions/sign-in-view.ts'
import { login } from '../sign-in/password-sign-in.ts'
import { sha256 } from '../../base/lib/json.ts'
import { type Html, page } from '../../base/wire/page.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { forgottenUrl } from '../access/way-back.ts'
import { newSecret } from '../access/one-time.ts'
import { headingOf } from '../logo/heading.ts'
import { type FactorAsk, factorForm, type Form, passwordForm } from '../oauth/pages/forms.ts'
import { passkeyAsk } from '../sign-in/passkey-ask.ts'
import { startUrl } from '../sso/addresses.ts'
import { ssoConfigurations } from '../sso/settings/configuration.ts'
import * as z from 'zod'
import { derivedKey } from '../../base/aws/deployment-secret.ts'
import { env } from '../../base/lib/runtime.ts'
import type { RandomBytes } from '../../base/lib/ids.ts'
import type { Headers } from '../../base/wire/rest-event.ts'
import { dataKey, open, seal } from '../../ledger/sealing/seal-format.ts'

export type SignInFields = FactorFields & {
  step: string
  email?: string
  password?: string
  mfa_token?: string
  /** The methods that were asked for, separated by spaces. */
  methods?: string
}

/** What a step of a sign-in leads to. */
export type SignedIn = { tokens: Tokens } | { ask: MfaRequired }

/** Throws a `Failure` whose detail the form shows. */
export async function signIn(ctx: Context, tenant_id: string, fields: SignInFields): Promise<SignedIn> {
  if (fields.step === 'passkey_only') {
    const { signInWithPasskey } = await import('../sign-in/passkey.ts') // most sign-ins need none of it
    const credential = objectIn(fields.credential ?? '')
    return { tokens: await signInWithPasskey(ctx, { credential, tenant_id }) }
  }
  if (fields.step !== 'password') return { tokens: await verifySignIn(ctx, fields.mfa_token ?? '', proofIn(fields)) }
  const { email = '', password = '' } = fields
  if (email === '' || password === '') throw new Failure('unauthenticated', 'Enter your e-mail address and password.')
  return outcomeOf(await login(ctx, { email, password, tenant_id }))
}

/** Reads the answer of a verb that returns tokens, or what a second factor needs. */
export function outcomeOf(answer: SignInView | HttpResponse): SignedIn {
  const view = SignInView.parse(answer instanceof HttpResponse ? answer.body : answer)
  return 'mfa_required' in view ? { ask: view } : { tokens: view }
}

type Asking = { tenant: Tenant; form: Form; email?: string; status?: number; headers?: Record<string, string> }

/**
 * The page of the first factor. `here`: the address that a sign-in at the organisation's provider returns to; `verifier` stays in
 * the browser's cookie.
 */
export async function passwordPage(
  ctx: Context,
  { tenant, form, email = '', status = 200, headers = {} }: Asking,
  here: string,
  verifier: string,
): Promise<HttpResponse> {
  const [sso, organisation, passkey] = await Promise.all([
    ctx.table.get(ssoConfigurations, { tenant_id: tenant.id }),
    headingOf(ctx.table, tenant),
    passkeyAsk(ctx, tenant),
  ])
  const elsewhere = { tenant: tenant.id, redirect_uri: here, code_challenge: sha256(verifier).toString('base64url') }
  const sso_url = sso?.enabled ? startUrl(sso.protocol, elsewhere) : undefined
  const content = passwordForm(form, {
    organisation,
    client: `the approvals of ${tenant.name}`,
    email,
    forgotten_url: await forgottenUrl(tenant.id, here),
    sso_url,
    passkey,
  })
  return page('Sign in', content, { status, headers, nonce: passkey?.nonce })
}

type Factors = { form: Form; ask: Pick<MfaRequired, 'methods' | 'webauthn'>; first: FactorAsk['first'] }

/** The page of a second factor; `hidden`: fields that its forms carry along. */
export function factorPage(
  ctx: Context,
  { form, ask: { methods, webauthn }, first }: Factors,
  hidden: Html | undefined,
  options: { status?: number; headers?: Record<string, string> } = {},
): HttpResponse {
  const nonce = webauthn && newSecret(ctx.random)
  const content = factorForm(
    { ...form, hidden },
    {
      first,
      codes: methods.includes('totp'),
      passkey: webauthn && { challenge_id: webauthn.challenge_id, options: JSON.stringify(webauthn.options) },
      nonce: nonce ?? '',
    },
  )
  return page('Second factor', content, { nonce, ...options })
}

/**
 * The cookie of the service's own pages. It is sealed, so nobody else can make one, and the API does not accept it: only pages read
 * it. It names the session and never holds a token.
 */
const PageCookie = z.object({
  /** Binds the forms of the pages to this browser, and is the code verifier of a sign-in elsewhere. */
  id: z.string(),
  session: z.object({ sid: z.string(), sub: z.string(), tenant_id: z.string() }).optional(),
})
export type PageCookie = z.output<typeof PageCookie>

const PLACE = { pk: 'COOKIE', sk: 'PAGES', attribute: 'value' }
const KEY = 'page cookies'

const isSecure = () => env('APP_URL').startsWith('https:')
/** With the prefix, no other host of the domain can set it. The local service has no TLS. */
const cookieName = () => (isSecure() ? '__Host-countersign' : 'countersign')

const key = async () => dataKey('page', await derivedKey(KEY))

export const newCookie = (random: RandomBytes): PageCookie => ({ id: newSecret(random) })

/** Undefined for a missing cookie and for one that this service did not make. */
export async function readCookie({ cookie = '' }: Headers): Promise<PageCookie | undefined> {
  const prefix = `${cookieName()}=`
  const given = cookie
    .split(/; */)
    .find((pair) => pair.startsWith(prefix))
    ?.slice(prefix.length)
  if (given === undefined) return undefined
  try {
    return PageCookie.parse(JSON.parse(open(await key(), PLACE, Buffer.from(given, 'base64url')).toString()))
  } catch {
    return undefined
  }
}

/** `SameSite=Lax`: the link in a mail finds the person signed in, and no form of another site does. */
export async function setCookie(
  value: PageCookie,
  seconds: number,
  random: RandomBytes,
): Promise<{ 'Set-Cookie': string }> {
  const sealed = seal(await key(), PLACE, Buffer.from(JSON.stringify(value)), random)
  const attributes = ['Path=/', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Lax', ...(isSecure() ? ['Secure'] : [])]
  return { 'Set-Cookie': [`${cookieName()}=${Buffer.from(sealed).toString('base64url')}`, ...attributes].join('; ') }
}

/** The key that binds the forms of pages to a cookie. */
export const formKey = (): Promise<Uint8Array> => derivedKey('page forms')
