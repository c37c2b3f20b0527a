// Takes the forms of the page of an approval. Every form is bound to the cookie of its browser.
import type { Context } from '../../base/context.ts'
import { Failure, forbidden } from '../../base/lib/failure.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { page } from '../../base/wire/page.ts'
import type { Approval } from '../../govern/approvals/approval.ts'
import { castVote } from '../../govern/approvals/cast-vote.ts'
import { loadVoteInputs } from '../../govern/approvals/inputs.ts'
import { mustHaveSteppedUp } from '../../identity/access/recent-factor.ts'
import { mustHaveVerifiedEmail } from '../../identity/access/verified-email.ts'
import { isFormToken } from '../../identity/oauth/form-token.ts'
import { formKey, setCookie } from '../../identity/pages/cookie.ts'
import type { SignInFields } from '../../identity/pages/sign-in.ts'
import { logout } from '../../identity/sign-in/logout.ts'
import { needsConfirmation } from './approval-html.ts'
import { choicesOf } from './choices.ts'
import { confirmHtml, type Said } from './decision-form.ts'
import {
  approvalPage,
  type Asked,
  askToSignIn,
  type Browser,
  browserOf,
  namesFor,
  problemOf,
  seeAgain,
} from './page.ts'
import { askForFactor, takeFactor, takeSignIn } from './sign-in.ts'
import { visitorOf } from './visitor.ts'

export type Fields = SignInFields & Partial<Said> & { token: string; digest?: string }

export async function submitForm(ctx: Context, asked: Asked, fields: Fields): Promise<HttpResponse> {
  const browser = await browserOf(ctx, asked)
  if (browser.fresh || !isFormToken(await formKey(), browser.cookie.id, fields.token)) return startAgain(ctx, browser)
  if (fields.step === 'deny') return seeAgain(browser)
  const visitor = await visitorOf(ctx, browser.cookie, browser)
  const isProof = fields.step === 'code' || fields.step === 'passkey'
  const isFirst = fields.step === 'password' || fields.step === 'passkey_only'
  if (!visitor) return isFirst || isProof ? takeSignIn(ctx, browser, fields) : askToSignIn(ctx, browser)
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

async function decide(visitor: Context, browser: Browser, { step, digest, ...fields }: Fields): Promise<HttpResponse> {
  const decision = DECISIONS[step]
  const { reason = '', on_behalf_of = '', allow_for_s = '' } = fields
  if (decision === undefined) return seeAgain(browser)
  try {
    if (!visitor.principal.permissions.has('approvals:decide'))
      throw forbidden('You need the permission approvals:decide. Ask an administrator of your tenant.')
    if (visitor.space.mode === 'live') mustHaveVerifiedEmail(visitor.principal)
    if (decision === 'reject' && reason.trim() === '') throw new Failure('invalid', 'Say why you reject it.')
    if (decision === 'approve' && !(await hasRecentFactor(visitor))) return await askForFactor(visitor, browser)
    const inputs = await loadVoteInputs(visitor.table, visitor.space, { params: { id: browser.id } })
    if (step === 'approve' && needsConfirmation(inputs.held))
      return await askAgain(visitor, browser, inputs.held, { reason, on_behalf_of, allow_for_s })
    await castVote(visitor, inputs, {
      decision,
      reason: reason.trim() || undefined,
      action_digest: digest,
      on_behalf_of: on_behalf_of || visitor.principal.id, // never in a name that the form did not show
      allow_for_s: decision === 'approve' && allow_for_s !== '' ? Number(allow_for_s) : undefined,
    })
    return seeAgain(browser)
  } catch (error) {
    return approvalPage(visitor, browser, problemOf(error))
  }
}

async function askAgain(visitor: Context, browser: Browser, held: Approval, said: Said): Promise<HttpResponse> {
  const voter = said.on_behalf_of === '' ? undefined : await nameOf(visitor, held, said.on_behalf_of)
  return page('Approve this action?', confirmHtml(browser, held, { said, voter }))
}

async function nameOf(visitor: Context, { id: approval }: Approval, id: string): Promise<string> {
  const { others } = await choicesOf(visitor, approval)
  if (!others.includes(id)) throw forbidden('This person has delegated no votes on this action to you.')
  return (await namesFor(visitor, [id])).get(id) ?? id
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
