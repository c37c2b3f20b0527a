// Signing in on a page of the service: the same verbs as for programs, their answers shown as forms. The state between the two
// factors is in the form, as programs keep it.
import { sha256 } from '../../base/lib/hash.ts'
import type { Context } from '../../base/context.ts'
import { HttpResponse } from '../../base/wire/call.ts'
import { Failure } from '../../base/lib/failure.ts'
import { type Html, page } from '../../base/wire/page.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { newSecret } from '../access/one-time.ts'
import { headingOf } from '../logo/heading.ts'
import { type FactorFields, objectIn, proofIn } from '../mfa/form-proof.ts'
import { verifySignIn } from '../mfa/verify-sign-in.ts'
import { type FactorAsk, factorForm, type Form, passwordForm } from '../oauth/ask-pages.ts'
import { type MfaRequired, SignInView, type Tokens } from '../sessions/sign-in-view.ts'
import { forgottenUrl } from '../access/way-back.ts'
import { login } from '../sign-in/login.ts'
import { passkeyAsk } from '../sign-in/passkey-ask.ts'
import { startUrl } from '../sso/addresses.ts'
import { ssoConfigurations } from '../sso/configuration.ts'

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

/** Of a verb that answers tokens, or what a second factor needs. */
export function outcomeOf(answer: SignInView | HttpResponse): SignedIn {
  const view = SignInView.parse(answer instanceof HttpResponse ? answer.body : answer)
  return 'mfa_required' in view ? { ask: view } : { tokens: view }
}

type Asking = { tenant: Tenant; form: Form; email?: string; status?: number; headers?: Record<string, string> }

/** `here`: the address that a sign-in at the organisation's provider returns to; `verifier` stays in the browser's cookie. */
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
