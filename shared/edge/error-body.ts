// The body of a refusal, in the form that the client asked for: the service's own, or problem details.
import type { Failure } from '../base/lib/failure.ts'
import { PROBLEM_JSON, wantsProblem } from '../base/wire/accept.ts'
import { HttpResponse, type Call } from '../base/wire/call.ts'

export async function errorBody(failure: Failure, { ids, headers: sent }: Call): Promise<HttpResponse> {
  const { status, headers, options, kind, detail } = failure
  const code = options.code ?? kind
  const facts = {
    ...options.members,
    ...(status >= 500 && { trace_id: ids.trace_id }),
    request_id: ids.request_id,
  }
  if (wantsProblem(sent.accept)) {
    const { problemOf } = await import('./problem-details.ts')
    return new HttpResponse(status, problemOf(failure, code, facts), {
      headers: { ...headers, 'Content-Type': PROBLEM_JSON, Vary: 'Accept' },
    })
  }
  const body = { detail, code, ...(options.errors && { errors: options.errors }), ...facts }
  return new HttpResponse(status, body, { headers: { ...headers, Vary: 'Accept' } })
}
