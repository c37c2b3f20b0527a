// The page behind reset and invitation links: shows its form and takes what the person enters.
import { type OpenLink, readLink } from '../../access/link.ts'
import type { Context } from '../../../base/context.ts'
import type { HttpResponse } from '../../../base/wire/call.ts'
import { Html, html, page } from '../../../base/wire/page.ts'
import { Failure } from '../../../base/lib/failure.ts'
import { tenantOf } from '../../../base/tenant/find.ts'
import { invalidLinkPage } from './invalid-link.ts'
import { headingOf } from '../../logo/heading.ts'
import { PASSWORD_MAX } from '../../accounts/password.ts'
import { backUrl } from '../../access/way-back.ts'
import { setPassword } from '../set-password.ts'

type Form = { token: string; password: string; repeated: string; name?: string | undefined }

/** Why a submitted form was refused, and the name to fill in again. */
type Problem = { text: string; status: number; name?: string | undefined }

/** Shows the form, or that the link is no longer valid. */
export async function showForm(ctx: Context, token: string, problem?: Problem): Promise<HttpResponse> {
  try {
    const open = await readLink(ctx.table, token, 'password_reset', 'invitation')
    const tenant = await tenantOf(ctx.table, open.user.tenant_id)
    const organisation = await headingOf(ctx.table, tenant)
    const content = {
      token,
      problem,
      tenant: tenant.name,
      organisation,
      min: tenant.session_policy.password_min_length,
    }
    return formPage(open, content)
  } catch (error) {
    return invalidLink(error)
  }
}

/** Sets the password, or shows the form again with the problem. */
export async function takeForm(ctx: Context, { repeated, ...form }: Form): Promise<HttpResponse> {
  const again = (text: string, status: number) => showForm(ctx, form.token, { text, status, name: form.name })
  if (form.password !== repeated) return again('The two passwords differ.', 422)
  let back: string | undefined
  try {
    back = (await readLink(ctx.table, form.token, 'password_reset', 'invitation')).link.back
    await setPassword(ctx, form)
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'unauthenticated') return invalidLink(error)
    return again(problemOf(error), error.status)
  }
  const next =
    back === undefined
      ? html`<p>You can sign in with it now. This page can be closed.</p>`
      : html`<p>Your other sessions have ended. <a href="${backUrl(back)}">Go on to sign in</a>.</p>`
  return page('Your password is set', next, { unchanged: false })
}

/** A person who submits the form twice sees this page, too. */
const invalidLink = (error: unknown) =>
  invalidLinkPage(
    error,
    'If you have just set your password, sign in. Otherwise ask for a new link on the sign-in page, or ask the person who invited you.',
  )

const problemOf = ({ detail }: Failure) =>
  typeof detail === 'string' ? sentence(detail) : detail.map(({ msg }) => msg).join(' ')
const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`

type FormContent = { token: string; problem: Problem | undefined; tenant: string; organisation: Html; min: number }

function formPage({ link, user }: OpenLink, { token, problem, tenant, organisation, min }: FormContent): HttpResponse {
  const invited = link.purpose === 'invitation'
  const title = invited ? `Join ${tenant}` : 'Set a new password'
  const name = problem?.name ?? user.name
  const first = invited && name === '' ? 'name' : 'password'
  const focus = (field: string) => field === first && new Html('autofocus')
  const nameField = html` <label for="name">Your name</label>
    <input id="name" name="name" autocomplete="name" maxlength="120" required value="${name}" ${focus('name')} />`
  const form = html`${organisation} ${problem && html`<p role="alert" id="problem">${problem.text}</p>`}
    <form method="post" action="password">
      <input type="hidden" name="token" value="${token}" />
      <label for="email">E-mail address</label>
      <input id="email" type="email" autocomplete="username" value="${link.email}" readonly />${invited && nameField}
      <label for="password">New password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="new-password"
        minlength="${String(min)}"
        maxlength="${String(PASSWORD_MAX)}"
        required
        ${focus('password')}
        aria-describedby="${problem ? 'problem rule' : 'rule'}"
      />
      <p class="hint" id="rule">At least ${String(min)} characters. A few words in a row are easy to remember.</p>
      <label for="repeated">The same password again</label>
      <input
        id="repeated"
        name="repeated"
        type="password"
        autocomplete="new-password"
        maxlength="${String(PASSWORD_MAX)}"
        required
      />
      <button>${invited ? 'Join' : 'Set password'}</button>
    </form>`
  return page(title, form, { status: problem?.status ?? 200 })
}
