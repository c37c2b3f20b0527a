import type { HttpResponse } from '../../../base/wire/call.ts'
import { html, page } from '../../../base/wire/page.ts'
import { Failure } from '../../../base/lib/failure.ts'

/** The page for a link that was used or has expired. Rethrows every other error. */
export function invalidLinkPage(error: unknown, advice: string): HttpResponse {
  if (!(error instanceof Failure) || error.kind !== 'unauthenticated') throw error
  const content = html`<p>It was already used, or it has expired. ${advice}</p>`
  return page('This link is no longer valid', content, { status: error.status })
}
