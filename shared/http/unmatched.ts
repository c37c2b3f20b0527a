// What no route matches: preflight requests, other methods of known paths, unknown paths. Same body, ids and headers as
// everywhere else.
import { Failure } from '../lib/failure.ts'
import { Answer } from './call.ts'
import { preflightHeaders } from './cors.ts'
import { answerOf, openCall, render } from './respond.ts'
import type { RestAnswer, RestEvent } from './rest-event.ts'

/** `methodsOf` gives the methods of the routes that share the event's path, empty for an unknown one. */
export const unmatched =
  (methodsOf: (event: RestEvent) => readonly string[]) =>
  async (event: RestEvent): Promise<RestAnswer> => {
    const call = openCall(event)
    const methods = methodsOf(event)
    if (event.httpMethod === 'OPTIONS' && methods.length > 0) {
      const headers = preflightHeaders(call.headers.origin, methods)
      return render('unmatched', call, new Answer(204, undefined, { headers }))
    }
    const failure =
      methods.length > 0
        ? new Failure('method_not_allowed', 'Method not allowed.', { headers: { Allow: methods.join(', ') } })
        : new Failure('not_found', 'not found')
    return render('unmatched', call, answerOf(failure, call))
  }
