// The page behind reset and invitation links, before and after its form was sent.
import { invalidToken, type OpenLink, readLink } from '../access/link.ts'
import type { Context } from '../context.ts'
import type { Answer } from '../http/call.ts'
import { html, page } from '../http/page.ts'
import { Failure } from '../lib/failure.ts'
import { tenantOf } from '../tenants/find.ts'
import { PASSWORD_MAX } from './password.ts'
import { setPassword } from './set-password.ts'

type Form = { token: string; password: string; repeated: string; name?: string | undefined }

/** The form, or that the link is over. */
export async function showForm(ctx: Context, token: string, problem?: string): Promise<Answer> {
  try {
    const open = await readLink(ctx.table, token, 'password_reset', 'invitation')
    const tenant = await tenantOf(ctx.table, open.user.tenant_id)
    const shown = { token, problem, tenant: tenant.name, min: tenant.session_policy.password_min_length }
    return formPage(open, shown)
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unauthenticated') return overPage()
    throw error
  }
}

/** Sets the password and says so, or shows the form again with what was wrong. */
export async function takeForm(ctx: Context, { repeated, ...form }: Form): Promise<Answer> {
  if (form.password !== repeated) return showForm(ctx, form.token, 'The two passwords differ.')
  try {
    await setPassword(ctx, form)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.kind === 'unauthenticated') return overPage()
    if (error.kind !== 'invalid' || typeof error.detail === 'string') throw error
    return showForm(ctx, form.token, error.detail.map(({ msg }) => `The password ${msg}.`).join(' '))
  }
  return page('Your password is set', html`<p>You can sign in with it now. This page can be closed.</p>`, {
    unchanged: false,
  })
}

function overPage(): Answer {
  const { status } = invalidToken()
  const advice = 'It was used already, or it is too old. Ask for a new one where you sign in, or whoever invited you.'
  return page('This link is no longer good', html`<p>${advice}</p>`, { status })
}

type Shown = { token: string; problem: string | undefined; tenant: string; min: number }

function formPage({ link, user }: OpenLink, { token, problem, tenant, min }: Shown): Answer {
  const invited = link.purpose === 'invitation'
  const title = invited ? `Join ${tenant}` : 'Set a new password'
  const name = html` <label for="name">Your name</label>
    <input id="name" name="name" autocomplete="name" maxlength="120" required value="${user.name}" />`
  const form = html`${problem !== undefined && html`<p role="alert">${problem}</p>`}
    <form method="post" action="password">
      <input type="hidden" name="token" value="${token}" />
      <label for="email">E-mail address</label>
      <input id="email" type="email" autocomplete="username" value="${link.email}" readonly />${invited && name}
      <label for="password">New password</label>
      <input
        id="password"
        name="password"
        type="password"
        autocomplete="new-password"
        minlength="${String(min)}"
        maxlength="${String(PASSWORD_MAX)}"
        required
        autofocus
        aria-describedby="rule"
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
  return page(title, form, { status: problem === undefined ? 200 : 422 })
}
