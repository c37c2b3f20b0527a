// Signing in on the page of an approval, and showing a second factor again where a decision needs one.
import type { Context } from '../../base/context.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { Html, html } from '../../base/wire/page.ts'
import { Failure } from '../../base/lib/failure.ts'
import { factorsOf } from '../../identity/mfa/factor.ts'
import { stepUp } from '../../identity/mfa/verify-sign-in.ts'
import { askForPasskey } from '../../identity/mfa/webauthn-options.ts'
import {
  factorPage,
  newCookie,
  outcomeOf,
  setCookie,
  type SignedIn,
  signIn,
  type SignInFields,
} from '../../identity/pages/sign-in.ts'
import { proofIn } from '../../identity/mfa/show-factor.ts'
import { readSessionToken } from '../../identity/sessions/session-token.ts'
import { redeem } from '../../identity/sso/redeem.ts'
import { askToSignIn, type Browser, problemOf, seeAgain } from './page.ts'

/** A sign-in at the organisation's provider comes back with a code, which only this browser can use. */
export async function returned(ctx: Context, browser: Browser, code: string): Promise<HttpResponse> {
  try {
    const answer = await redeem(ctx, { code, code_verifier: browser.cookie.id })
    return await afterFactor(ctx, browser, outcomeOf(answer), 'sso')
  } catch (error) {
    return askToSignIn(ctx, browser, problemOf(error))
  }
}

/** One step of a sign-in: a password, a passkey alone, or the second factor of a sign-in that has begun. */
export async function takeSignIn(ctx: Context, browser: Browser, fields: SignInFields): Promise<HttpResponse> {
  try {
    return await afterFactor(ctx, browser, await signIn(ctx, browser.tenant.id, fields), 'password')
  } catch (error) {
    const { problem, status } = problemOf(error)
    const begins = fields.step === 'password' || fields.step === 'passkey_only'
    if (begins || isOver(error)) return askToSignIn(ctx, browser, { problem, status, ...fields })
    const methods = (fields.methods ?? '').split(' ')
    return factorPage(
      ctx,
      { form: { token: browser.token, problem }, ask: { methods }, first: 'password' },
      carried(fields.mfa_token ?? '', methods),
      { status },
    )
  }
}

/** A sign-in that cannot go on must begin again; a wrong code can be corrected. */
const isOver = (error: unknown) => error instanceof Failure && error.kind !== 'unauthenticated'

async function afterFactor(ctx: Context, browser: Browser, signedIn: SignedIn, first: 'password' | 'sso') {
  if ('tokens' in signedIn) return begin(ctx, browser, signedIn.tokens)
  const { mfa_token, methods } = signedIn.ask
  const form = { token: browser.token }
  return factorPage(ctx, { form, ask: signedIn.ask, first }, carried(mfa_token, methods))
}

const carried = (mfa_token: string, methods: readonly string[]) =>
  html`<input type="hidden" name="mfa_token" value="${mfa_token}" />
    <input type="hidden" name="methods" value="${methods.join(' ')}" />`

/** The cookie gets another id, so that a form from before the sign-in is worth nothing after it. */
async function begin(
  ctx: Context,
  browser: Browser,
  { access_token, refresh_expires_in }: { access_token: string; refresh_expires_in: number },
): Promise<HttpResponse> {
  const session = await readSessionToken(access_token, ctx.now())
  if (!session) throw new Error('the pool issued a token that it does not accept')
  return seeAgain(browser, await setCookie({ ...newCookie(ctx.random), session }, refresh_expires_in, ctx.random))
}

/** Asks a signed-in person for a second factor, because the decision needs a recent one. */
export async function askForFactor(
  visitor: Context,
  { token }: Browser,
  again: { problem?: string; status?: number } = {},
): Promise<HttpResponse> {
  const person = { tenant_id: visitor.space.tenant_id, id: visitor.principal.id }
  const known = await factorsOf(visitor.table, person)
  const webauthn = await askForPasskey(visitor, person, known)
  const methods = known.map(({ type }) => type)
  const ask = { methods, ...(webauthn && { webauthn: { ...webauthn, options: { ...webauthn.options } } }) }
  const form = { token, problem: again.problem }
  return factorPage(visitor, { form, ask, first: 'session' }, new Html(''), { status: again.status ?? 200 })
}

/** Then the person decides on the page. */
export async function takeFactor(visitor: Context, browser: Browser, fields: SignInFields): Promise<HttpResponse> {
  try {
    await stepUp(visitor, proofIn(fields))
    return seeAgain(browser)
  } catch (error) {
    return askForFactor(visitor, browser, problemOf(error))
  }
}
