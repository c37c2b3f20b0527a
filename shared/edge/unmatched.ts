// Answers requests that no route matches: preflight requests, other methods of known paths, unknown paths. Body, ids and
// headers are the same as everywhere.
import { Failure } from '../base/lib/failure.ts'
import { HttpResponse } from '../base/wire/call.ts'
import { methodsOf } from '../base/wire/head.ts'
import { openPreflight, preflightHeaders } from './cors.ts'
import { responseOf, openCall, render } from './respond.ts'
import type { RestResponse, RestEvent } from '../base/wire/rest-event.ts'
import type { Route } from '../base/wire/route.ts'

const SCIM = '/api/scim/v2/'

/** `routesAt` gives the routes at the event's path; none for an unknown path. */
export const unmatched =
  (
    routesAt: (event: RestEvent) => readonly Pick<Route, 'method' | 'preflight' | 'evidence' | 'stream' | 'dialect'>[],
  ) =>
  async (event: RestEvent): Promise<RestResponse> => {
    const call = openCall(event)
    const sharing = routesAt(event)
    const methods = methodsOf(sharing) // each host may have a route of its own
    if (event.httpMethod === 'OPTIONS' && methods.length > 0) {
      const toAny = sharing.some(({ preflight }) => preflight === 'any')
      const headers = (toAny ? openPreflight : preflightHeaders)(call.headers.origin, methods)
      return render('unmatched', call, new HttpResponse(204, undefined, { headers }))
    }
    const failure =
      methods.length > 0
        ? new Failure('method_not_allowed', 'This path does not support the method. Use one of the Allow header.', {
            headers: { Allow: methods.join(', ') },
          })
        : new Failure('not_found', 'No endpoint has this path. Check the URL.')
    return render('unmatched', call, await responseOf(failure, call, event.path.includes(SCIM) ? 'scim' : undefined))
  }
