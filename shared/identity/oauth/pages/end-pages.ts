// Pages without input fields: errors and logout. The library answers every unknown error as a 500; when a dependency did not answer,
// this file turns it into a 503, because a retry is worthwhile then.
import type { Client, RequestContext } from 'oidc-provider'
import { Html, html, page, type PageNeeds } from '../../../base/wire/page.ts'
import { originOf } from '../../../base/lib/redirect-uri.ts'
import { asFailure } from '../../../base/lib/failure.ts'

/** Replaces the response with a page. Keeps the status unless one is given. */
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

/** Shows the error of the protocol and nothing from the request. */
export function errorPage(ctx: RequestContext, { error, error_description: about }: Refusal): void {
  show(
    ctx,
    'This request cannot be completed',
    html`<p>Go back to the application and try again. If that does not help, report this error to its operator:</p>
      <p><code>${error}</code>${about !== undefined && html`: ${about}`}</p>`,
  )
}

/** A form of the library, which the buttons of the page submit. */
export const submits = (form: string): Html => new Html(form)

/** `form`: the library's form, which both buttons submit. */
export async function logoutPage(ctx: RequestContext, form: string): Promise<void> {
  const { client, params } = ctx.oidc
  const back = client && params?.post_logout_redirect_uri
  show(
    ctx,
    'Sign out?',
    html`<p>You are signed in here${client && html` for ${nameOf(client)}`}.</p>
      ${submits(form)}
      <button form="op.logoutForm" name="logout" value="yes">Sign out</button>
      <button form="op.logoutForm" class="second">Stay signed in</button>`,
    { formTargets: back ? [originOf(back)] : [] },
  )
}

/** Shown also to people who stay signed in: then only the client, if any, was signed out. */
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

export const OUTAGE = {
  error: 'temporarily_unavailable',
  error_description: 'The service is not available. Try again in a moment.',
}

const isOutage = (error: unknown): boolean => asFailure(error).status === 503

/** The error page. It does not name the dependency; only the log does. */
export const failurePage = (ctx: RequestContext, refusal: Refusal, error: unknown): void =>
  errorPage(ctx, isOutage(error) ? OUTAGE : refusal)

/** Sets the status of an outage, and the body unless the page is there already. Errors sent by redirect stay as they are. */
export function answerOutage(ctx: RequestContext, error: unknown): void {
  if (ctx.status !== 500 || !isOutage(error)) return
  ctx.status = 503
  ctx.set('Retry-After', '1')
  if (typeof ctx.body !== 'string') ctx.body = OUTAGE
}
