// Takes the forms of the page of an approval. Every form is bound to the cookie of its browser.
import type { Context } from '../../base/context.ts'
import { conflict, Failure, forbidden } from '../../base/lib/failure.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { page } from '../../base/wire/page.ts'
import type { Waiting } from '../../govern/approvals/grants/also-waiting.ts'
import type { Approval } from '../../govern/approvals/approval.ts'
import { castVote } from '../../govern/approvals/votes/vote.ts'
import { loadVoteInputs, type VoteInputs } from '../../govern/approvals/inputs.ts'
import { openSealed } from '../../govern/executions/sealed/open-execution.ts'
import { visibleUnder } from '../../govern/executions/sealed/visible.ts'
import { mustHaveSteppedUp, mustHaveVerifiedEmail } from '../../identity/access/assurance.ts'
import { isFormToken } from '../../identity/oauth/pages/forms.ts'
import { formKey, setCookie, type SignInFields } from '../../identity/pages/sign-in.ts'
import { logout } from '../../identity/sign-in/logout.ts'
import { needsConfirmation } from './approval-html.ts'
import { choicesOf } from './shown.ts'
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
  visitorOf,
} from './page.ts'
import { askForFactor, takeFactor, takeSignIn } from './sign-in.ts'

export type Fields = SignInFields & Partial<Said> & { token: string; digest?: string; also?: string }

/**
 * Takes one form: a step of signing in or out, a vote, or the confirmation of one. A form counts only with the token of its browser's
 * cookie. It carries the digest that the page showed, and a vote on another payload is refused. The name in which a person votes and the
 * time of a grant come from the form, and the vote itself checks both. Every answer is a page or a redirect to it, so reloading repeats
 * nothing.
 */
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
  const { reason = '', on_behalf_of = '', allow_for_s = '', also = '' } = fields
  if (decision === undefined) return seeAgain(browser)
  try {
    if (!visitor.principal.permissions.has('approvals:decide'))
      throw forbidden('You need the permission approvals:decide. Ask an administrator of your tenant.')
    if (visitor.space.mode === 'live') mustHaveVerifiedEmail(visitor.principal)
    if (decision === 'reject' && reason.trim() === '') throw new Failure('invalid', 'Say why you reject it.')
    if (decision === 'approve' && !(await hasRecentFactor(visitor))) return await askForFactor(visitor, browser)
    const inputs = await loadVoteInputs(visitor.table, visitor.space, { params: { id: browser.id } })
    if (step === 'approve') {
      const waiting = allow_for_s === '' ? [] : await waitingToo(visitor, inputs)
      if (needsConfirmation(inputs.held) || waiting.length > 0)
        return await askAgain(visitor, browser, inputs.held, { said: { reason, on_behalf_of, allow_for_s }, waiting })
    }
    const draft = {
      decision,
      reason: reason.trim() || undefined,
      on_behalf_of: on_behalf_of || visitor.principal.id, // never in a name that the form did not show
    }
    await castVote(visitor, inputs, {
      ...draft,
      action_digest: digest,
      allow_for_s: decision === 'approve' && allow_for_s !== '' ? Number(allow_for_s) : undefined,
    })
    if (step === 'confirm' && also !== '') await voteOnThese(visitor, also, draft)
    return seeAgain(browser)
  } catch (error) {
    return approvalPage(visitor, browser, problemOf(error))
  }
}

/** Waiting requests that would run under the grant of this vote, with payloads as the tenant lets people see them. */
async function waitingToo(visitor: Context, inputs: VoteInputs): Promise<Waiting[]> {
  const { alsoWaiting } = await import('../../govern/approvals/grants/also-waiting.ts')
  const { opened } = await openSealed(visitor, inputs.execution)
  const waiting = await alsoWaiting(visitor, inputs, opened.payload)
  return Promise.all(
    waiting.map(async (one) => {
      const { payload } = await visibleUnder(inputs.governance.settings, { payload: one.payload })
      return { ...one, payload: payload ?? {} }
    }),
  )
}

/** Each by a vote of its own, so one that is refused stops no other. Throws what the person must know of those. */
async function voteOnThese(visitor: Context, also: string, draft: VoteDraft): Promise<void> {
  const { voteOnThem } = await import('../../govern/approvals/votes/batch.ts')
  const items = also.split(',').map((one) => {
    const [id = '', action_digest = ''] = one.split(' ')
    return { id, action_digest }
  })
  const refused = (await voteOnThem(visitor, items, draft)).filter(({ http_status }) => http_status !== 200)
  if (refused.length === 0) return
  const each = refused.map(({ id, detail }) => `${id}: ${detail}`).join(' ')
  throw conflict(`This one is decided. Of those that waited, too, ${refused.length} are not. ${each}`)
}

type VoteDraft = { decision: 'approve' | 'reject'; reason: string | undefined; on_behalf_of: string }
type Again = { said: Said; waiting: readonly Waiting[] }

async function askAgain(visitor: Context, browser: Browser, held: Approval, { said, waiting }: Again) {
  const voter = said.on_behalf_of === '' ? undefined : await nameOf(visitor, held, said.on_behalf_of)
  return page(
    'Approve this action?',
    confirmHtml(browser, held, { said, voter, hard: needsConfirmation(held), waiting }),
  )
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
