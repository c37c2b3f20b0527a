import type { Context } from '../../base/context.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { html, page } from '../../base/wire/page.ts'
import { invalidLinkPage } from './invalid-link-page.ts'
import { verifyEmail } from './verify-email.ts'

/** Verifies an address for somebody who has opened the link of the mail in a browser. */
export async function showVerified(ctx: Context, token: string): Promise<HttpResponse> {
  try {
    const { email, first } = await verifyEmail(ctx, token)
    return page('Your e-mail address is confirmed', html`<p>${email} is yours. This page can be closed.</p>`, {
      unchanged: !first,
    })
  } catch (error) {
    return invalidLinkPage(error, 'Ask for a new one where you sign in.')
  }
}
