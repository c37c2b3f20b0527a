// Asks the authorizer of a route before its function is called, as API Gateway does.
import type { Route } from '../../shared/base/wire/route.ts'
import { authorizerOf } from '../surface.ts'
import type { RestEvent } from './gateway-event.ts'
import type { Invoke } from './lambda.ts'

type Verdict = { policyDocument: { Statement: { Effect: 'Allow' | 'Deny' }[] }; context?: Record<string, string> }

/** What the authorizer says of a request that it denies, by the names that gateway responses use; undefined for any other. */
export async function denied(
  route: Route,
  event: RestEvent,
  invoke: Invoke,
): Promise<Record<string, string> | undefined> {
  const authorizer = authorizerOf(route)
  if (!authorizer) return undefined
  const { body: _body, isBase64Encoded: _encoding, ...request } = event // an authorizer does not see the body
  const methodArn = `arn:aws:execute-api:us-east-1:000000000000:local/live/${event.httpMethod}${event.path}`
  const verdict = (await invoke(authorizer, { type: 'REQUEST', methodArn, ...request })) as Verdict
  if (verdict.policyDocument.Statement.every(({ Effect }) => Effect === 'Allow')) return undefined
  return Object.fromEntries(Object.entries(verdict.context ?? {}).map(([name, value]) => [`authorizer.${name}`, value]))
}
