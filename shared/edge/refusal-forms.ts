// Further forms of a refusal: the HTML page that a browser gets, and problem details (RFC 9457). Loaded with the first request for one.
import type { Failure } from '../base/lib/failure.ts'
import type { Call, HttpResponse } from '../base/wire/call.ts'
import { html, page } from '../base/wire/page.ts'

/** Shows no more than the error body would. */
export function refusalPage(failure: Failure, { ids }: Call): HttpResponse {
  const [title, text] = textsOf(failure)
  const content = html`<p role="alert">${text}</p>
    <p>If that does not help, give this number to the site that sent you here: ${ids.request_id}</p>`
  return page(title, content, { status: failure.status, headers: { ...failure.headers, Vary: 'Accept' } })
}

function textsOf({ status, detail, options }: Failure): [title: string, text: string] {
  if (status === 429) return ['Too many requests', `Wait ${waiting(options.retryAfterSeconds ?? 1)}, then try again.`]
  if (status >= 500) return ['Something went wrong', 'This is our fault. Try again in a moment.']
  const reason = typeof detail === 'string' ? detail : 'Some of your input is not valid.'
  return ['This did not work', `${reason.replace(/\.$/, '')}. Go back and try again.`]
}

const waiting = (seconds: number) => (seconds === 1 ? 'a second' : `${seconds} seconds`)

/** The same facts as in the service's own body: `detail` is always text here, so `errors` holds the violations. */
export function problemOf({ status, detail, message, options }: Failure, code: string, facts: object): object {
  const errors = Array.isArray(detail) ? detail : options.errors
  return {
    type: typeOf(code),
    title: titleOf(code),
    status,
    detail: Array.isArray(detail) ? message : detail,
    code,
    ...(errors && { errors }),
    ...facts,
  }
}

/** The place of the code on the page of errors. */
const typeOf = (code: string): string => `${process.env.APP_URL ?? ''}/docs/errors#${code}`

const titleOf = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')
