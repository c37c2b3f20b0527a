// Pages on which nothing is entered: refusals and the end of a login.
import type { Client, RequestContext } from 'oidc-provider'
import { Html, html, page, type PageNeeds } from '../../base/wire/page.ts'
import { originOf } from './redirect-uri.ts'

/** Sends a page in place of whatever the request would have got. The status stays as it is unless one is given. */
export function show(
  ctx: RequestContext,
  title: string,
  content: Html,
  needs: PageNeeds & { status?: number } = {},
): void {
  const { body, headers } = page(title, content, needs)
  for (const [name, value] of Object.entries(headers)) ctx.set(name, value)
  ctx.body = body
  if (needs.status !== undefined) ctx.status = needs.status
}

export type Refusal = { error: string; error_description?: string }

/** Says what the protocol says, and nothing of what was sent. */
export function errorPage(ctx: RequestContext, { error, error_description: about }: Refusal): void {
  show(
    ctx,
    'This request cannot be completed',
    html`<p>Go back to the application and try again. If that does not help, tell whoever runs it:</p>
      <p><code>${error}</code>${about !== undefined && html`: ${about}`}</p>`,
  )
}

/** `form`: the library's own, which both buttons send. */
export async function logoutPage(ctx: RequestContext, form: string): Promise<void> {
  const { client, params } = ctx.oidc
  const back = client && params?.post_logout_redirect_uri
  show(
    ctx,
    'Sign out?',
    html`<p>You are signed in here${client && html` for ${nameOf(client)}`}.</p>
      ${new Html(form)}
      <button form="op.logoutForm" name="logout" value="yes">Sign out</button>
      <button form="op.logoutForm" class="second">Stay signed in</button>`,
    { formTargets: back ? [originOf(back)] : [] },
  )
}

/** Also the end for who has chosen to stay: then at most one application was left. */
export async function loggedOutPage(ctx: RequestContext): Promise<void> {
  const { client, provider } = ctx.oidc
  const { accountId } = await provider.Session.get(ctx)
  if (accountId === undefined) return show(ctx, 'You are signed out', html`<p>You can close this window.</p>`)
  show(
    ctx,
    'You are still signed in',
    html`${client && html`<p>Only ${nameOf(client)} was signed out.</p>`}
      <p>You can close this window.</p>`,
  )
}

const nameOf = ({ clientName, clientId }: Client) => clientName ?? clientId
