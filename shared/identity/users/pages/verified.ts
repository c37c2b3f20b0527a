// The page behind the link that verifies an address. It asks for the password of the account: somebody else may have registered the
// address and set one.
import type { Context } from '../../../base/context.ts'
import { writtenMailbox } from '../../../base/lib/mailbox.ts'
import { env } from '../../../base/lib/runtime.ts'
import type { HttpResponse } from '../../../base/wire/call.ts'
import { html, page } from '../../../base/wire/page.ts'
import { tenantOf } from '../../../base/tenant/find.ts'
import { PASSWORD_MAX } from '../../accounts/password.ts'
import { isProven } from '../../accounts/user.ts'
import { headingOf } from '../../logo/heading.ts'
import { invalidLinkPage } from './invalid-link.ts'
import { userOfLink } from '../verify-email.ts'

type Problem = { text: string; status: number }

/** Shows the form, or that nothing is left to do. A GET changes nothing, so a program that looks at links in mails does not, either. */
export async function showVerification(ctx: Context, token: string, problem?: Problem): Promise<HttpResponse> {
  try {
    const user = await userOfLink(ctx, token)
    if (isProven(user) && user.proof_due === undefined) return confirmed(user.email, false)
    const tenant = await tenantOf(ctx.table, user.tenant_id)
    const organisation = await headingOf(ctx.table, tenant)
    const content = html`${organisation} ${problem && html`<p role="alert" id="problem">${problem.text}</p>`}
      <p>
        Somebody gave this address for an account of ${tenant.name}. If it was you, enter the password of the account.
      </p>
      <form method="post" action="${env('APP_URL')}/auth/verify">
        <input type="hidden" name="token" value="${token}" />
        <label for="email">E-mail address</label>
        <input id="email" type="email" autocomplete="username" value="${user.email}" readonly />
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          maxlength="${String(PASSWORD_MAX)}"
          required
          autofocus
        />
        <button>Confirm</button>
      </form>
      <p>
        Was it somebody else, or do you have no password? <a href="${env('APP_URL')}/auth/forgot">Set a new one</a>.
        That confirms the address, too, and ends everything that was made with the account before.
      </p>`
    return page('Confirm your e-mail address', content, {
      status: problem?.status ?? 200,
      formTargets: [new URL(env('APP_URL')).origin],
    })
  } catch (error) {
    return invalidLinkPage(error, 'Ask for a new one where you sign in.')
  }
}

/** Nothing is left to do. */
export const confirmed = (email: string, first: boolean) =>
  page('Your e-mail address is confirmed', html`<p>${writtenMailbox(email)} is yours. This page can be closed.</p>`, {
    unchanged: !first,
  })
