// The body of a refusal as problem details (RFC 9457). Loaded with the first request for them.
import type { Failure } from '../base/lib/failure.ts'

/** The same facts as the service's own body has: `detail` is always text here, so what is wrong stands in `errors`. */
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
