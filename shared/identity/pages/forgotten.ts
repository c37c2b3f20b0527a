// The page for a forgotten password. It says the same whether or not the address has an account, and no GET sends a mail.
import type { Context } from '../../base/context.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { html, page } from '../../base/wire/page.ts'
import { enqueueMail } from '../../ledger/events/enqueue.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { mayReset } from '../users/mail-limit.ts'
import { backUrl, hasSeen } from '../access/way-back.ts'
import { headingOf } from '../logo/heading.ts'

/** `back`: the path of the page that the person was signing in on. */
type From = { tenant?: string | undefined; back?: string | undefined }

const backLink = ({ back }: From) => back !== undefined && html`<p><a href="${backUrl(back)}">Back to sign in</a></p>`

/** Names the organisation only to a visitor who comes from a page that did: `seen` proves it. */
export async function showForgotten(ctx: Context, { tenant, back, seen }: From & { seen: string }) {
  const isKnown = tenant !== undefined && (await hasSeen(tenant, seen))
  const organisation = isKnown && (await headingOf(ctx.table, await tenantOf(ctx.table, tenant)))
  return page(
    'Forgotten your password?',
    html`${organisation}
      <p>Enter your e-mail address. You get a mail with a link to set a new password.</p>
      <form method="post" action="forgot">
        ${tenant !== undefined && html`<input type="hidden" name="tenant" value="${tenant}" />`}
        ${back !== undefined && html`<input type="hidden" name="back" value="${back}" />`}
        <label for="email">E-mail address</label>
        <input id="email" name="email" type="email" autocomplete="username" maxlength="254" required autofocus />
        <button>Send the link</button>
      </form>
      ${backLink({ back })}`,
  )
}

/** Does not look the address up, so that neither the page nor its timing reveals whether it has an account. */
export async function takeForgotten(ctx: Context, { email, tenant, back }: From & { email: string }) {
  const to = { email, ...(tenant !== undefined && { tenant_id: tenant }) }
  const facts: Record<string, string> = back === undefined ? {} : { back }
  if (await mayReset(ctx, to)) await enqueueMail(newMail(ctx, 'password_reset', to, facts))
  return page(
    'Look into your mailbox',
    html`<p>If ${email} has an account here, a mail with a link is on its way. The link works once, within an hour.</p>
      <p class="hint">Nothing came? Look among unwanted mail, or check the address.</p>
      ${backLink({ back })}`,
  )
}
