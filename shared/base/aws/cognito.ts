import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider'
import { clientConfig, sharedClient } from './clients.ts'

/** A sign-in waits for the functions of the pool, which Cognito gives five seconds each. Its caller tries again. */
const settings = () => ({ ...clientConfig(6_000), maxAttempts: 1 })

export const cognito = (): CognitoIdentityProviderClient =>
  sharedClient('cognito-identity-provider', () => new CognitoIdentityProviderClient(settings()))

// For callers that load this file late: importing the package itself would bundle all of it.
export {
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminDisableUserCommand,
  AdminEnableUserCommand,
  AdminGetUserCommand,
  AdminInitiateAuthCommand,
  AdminRespondToAuthChallengeCommand,
  AdminSetUserPasswordCommand,
  AdminUpdateUserAttributesCommand,
  AdminUserGlobalSignOutCommand,
  DescribeUserPoolClientCommand,
  GetTokensFromRefreshTokenCommand,
  RevokeTokenCommand,
} from '@aws-sdk/client-cognito-identity-provider'
