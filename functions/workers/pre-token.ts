import { openTable } from '../../shared/base/context.ts'
import { claimsOf, users } from '../../shared/identity/accounts/user.ts'

type TokenEvent = {
  callerContext: { clientId: string }
  request: { userAttributes: { sub: string; 'custom:tenant_id': string } }
}

/** This scope is removed: with it a stolen access token could call the pool's self-service without our checks. */
const SELF_SERVICE = 'aws.cognito.signin.user.admin'

/** Called by the user pool before each token (V2_0). Adds the account's current claims; throws if it may not sign in. */
export async function handler<E extends TokenEvent>(event: E) {
  const { sub: id, 'custom:tenant_id': tenant_id } = event.request.userAttributes
  const claims = claimsOf(await openTable().get(users, { tenant_id, id }))
  const claimsAndScopeOverrideDetails = {
    idTokenGeneration: { claimsToAddOrOverride: claims },
    accessTokenGeneration: {
      claimsToAddOrOverride: { ...claims, aud: event.callerContext.clientId },
      scopesToSuppress: [SELF_SERVICE],
    },
  }
  return { ...event, response: { claimsAndScopeOverrideDetails } }
}
