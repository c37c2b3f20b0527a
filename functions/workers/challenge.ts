import { env, runtime } from '../../shared/base/lib/runtime.ts'
import { valuesSent } from '../../shared/base/wire/values-sent.ts'
import { challengeOf, mcpResource } from '../../shared/identity/oauth/resources.ts'
import { mayBeGood } from '../../shared/identity/oauth/may-be-good.ts'

type AuthorizerEvent = {
  multiValueHeaders?: Record<string, string[] | undefined> | null
  pathParameters?: { tenant_id?: string } | null
}

/**
 * Asked by API Gateway before the tools of a tenant. API Gateway renames `WWW-Authenticate` in answers of functions, but not in
 * its own, so a request that cannot succeed is refused here. Every other request passes on to the function.
 */
export async function handler({ multiValueHeaders, pathParameters }: AuthorizerEvent) {
  const tenantId = pathParameters?.tenant_id ?? ''
  const sent = {
    authorization: valuesSent(multiValueHeaders, 'authorization'),
    apiKey: valuesSent(multiValueHeaders, 'x-api-key'),
  }
  const expected = { issuer: env('APP_URL'), audience: mcpResource(tenantId), now: runtime.clock.now() }
  const passes = mayBeGood(sent, expected)
  return {
    principalId: 'caller',
    policyDocument: {
      Version: '2012-10-17',
      // Not kept for other requests, so it need not name this one.
      Statement: [{ Action: 'execute-api:Invoke', Effect: passes ? 'Allow' : 'Deny', Resource: '*' }],
    },
    ...(!passes && { context: { challenge: challengeOf(tenantId) } }),
  }
}
