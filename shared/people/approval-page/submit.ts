// Takes the forms of the page of an approval. Every form is bound to the cookie of its browser.
import type { Context } from '../../base/context.ts'
import { Failure, forbidden } from '../../base/lib/failure.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { page } from '../../base/wire/page.ts'
import { castVote } from '../../govern/approvals/cast-vote.ts'
import { loadVoteInputs } from '../../govern/approvals/inputs.ts'
import { mustHaveSteppedUp } from '../../identity/access/recent-factor.ts'
import { isFormToken } from '../../identity/oauth/form-token.ts'
import { formKey, setCookie } from '../../identity/pages/cookie.ts'
import type { SignInFields } from '../../identity/pages/sign-in.ts'
import { logout } from '../../identity/sign-in/logout.ts'
import { confirmHtml, needsConfirmation } from './approval-html.ts'
import { approvalPage, type Asked, askToSignIn, type Browser, browserOf, problemOf, seeAgain } from './page.ts'
import { askForFactor, takeFactor, takeSignIn } from './sign-in.ts'
import { visitorOf } from './visitor.ts'

export type Fields = SignInFields & { token: string; reason?: string; digest?: string }

export async function submitForm(ctx: Context, asked: Asked, fields: Fields): Promise<HttpResponse> {
  const browser = await browserOf(ctx, asked)
  if (browser.fresh || !isFormToken(await formKey(), browser.cookie.id, fields.token)) return startAgain(ctx, browser)
  if (fields.step === 'deny') return seeAgain(browser)
  const visitor = await visitorOf(ctx, browser.cookie, browser)
  const isProof = fields.step === 'code' || fields.step === 'passkey'
  if (!visitor)
    return fields.step === 'password' || isProof ? takeSignIn(ctx, browser, fields) : askToSignIn(ctx, browser)
  if (isProof) return takeFactor(visitor, browser, fields)
  if (fields.step === 'sign_out') return signOut(visitor, browser)
  return decide(visitor, browser, fields)
}

/** A form of another browser, or one whose cookie has ended. */
const startAgain = (ctx: Context, browser: Browser) =>
  askToSignIn(ctx, browser, { problem: 'This page had expired. Sign in again.', status: 403 })

async function signOut(visitor: Context, browser: Browser): Promise<HttpResponse> {
  await logout(visitor)
  return seeAgain(browser, await setCookie({ id: browser.cookie.id }, 0, visitor.random))
}

const DECISIONS: Record<string, 'approve' | 'reject'> = { approve: 'approve', confirm: 'approve', reject: 'reject' }

async function decide(
  visitor: Context,
  browser: Browser,
  { step, reason = '', digest }: Fields,
): Promise<HttpResponse> {
  const decision = DECISIONS[step]
  if (decision === undefined) return seeAgain(browser)
  try {
    if (!visitor.principal.permissions.has('approvals:decide'))
      throw forbidden('You need the permission approvals:decide. Ask an administrator of your tenant.')
    if (decision === 'reject' && reason.trim() === '') throw new Failure('invalid', 'Say why you reject it.')
    if (decision === 'approve' && !(await hasRecentFactor(visitor))) return await askForFactor(visitor, browser)
    const inputs = await loadVoteInputs(visitor.table, visitor.space, { params: { id: browser.id } })
    if (step === 'approve' && needsConfirmation(inputs.held))
      return page('Approve this action?', confirmHtml(browser, inputs.held, reason))
    await castVote(visitor, inputs, { decision, reason: reason.trim() || undefined, action_digest: digest })
    return seeAgain(browser)
  } catch (error) {
    return approvalPage(visitor, browser, problemOf(error))
  }
}

/** Where the tenant asks for a recent factor, a decision to approve needs one. */
async function hasRecentFactor(visitor: Context): Promise<boolean> {
  try {
    await mustHaveSteppedUp(visitor)
    return true
  } catch (error) {
    problemOf(error)
    return false
  }
}
