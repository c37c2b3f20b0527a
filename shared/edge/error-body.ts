// The body of a refusal, in the form that the client asked for: the service's own, or problem details (RFC 9457).
import type { Failure } from '../base/lib/failure.ts'
import { PROBLEM_JSON, wantsProblem } from '../base/wire/accept.ts'
import { HttpResponse, type Call } from '../base/wire/call.ts'

export function errorBody(failure: Failure, call: Call): HttpResponse {
  const { status, headers } = failure
  const asked = wantsProblem(call.headers.accept)
  return new HttpResponse(status, asked ? problemOf(failure, call) : bodyOf(failure, call), {
    headers: { ...headers, ...(asked && { 'Content-Type': PROBLEM_JSON }), Vary: 'Accept' },
  })
}

const codeOf = ({ options, kind }: Failure): string => options.code ?? kind

const bodyOf = (failure: Failure, call: Call): object => ({
  detail: failure.detail,
  code: codeOf(failure),
  ...(failure.options.errors && { errors: failure.options.errors }),
  ...factsOf(failure, call),
})

/** The same facts: what is wrong stands in `errors`, because `detail` is always text here. */
function problemOf(failure: Failure, call: Call): object {
  const { status, detail, message, options } = failure
  const errors = Array.isArray(detail) ? detail : options.errors
  const code = codeOf(failure)
  return {
    type: typeOf(code),
    title: titleOf(code),
    status,
    detail: Array.isArray(detail) ? message : detail,
    code,
    ...(errors && { errors }),
    ...factsOf(failure, call),
  }
}

const factsOf = ({ status, options }: Failure, { ids }: Call): object => ({
  ...options.members,
  ...(status >= 500 && { trace_id: ids.trace_id }),
  request_id: ids.request_id,
})

/** The place of the code in the catalogue of the reference. */
const typeOf = (code: string): string => `${process.env.APP_URL ?? ''}/docs/errors#${code}`

const titleOf = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ')
