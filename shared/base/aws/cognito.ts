import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider'
import { clientConfig, sharedClient } from './clients.ts'

/** A sign-in waits for the triggers of the pool, which may take five seconds each. The caller retries, the SDK does not. */
const settings = () => ({ ...clientConfig(6_000), maxAttempts: 1 })

export const cognito = (): CognitoIdentityProviderClient =>
  sharedClient('cognito-identity-provider', () => new CognitoIdentityProviderClient(settings()))

// For dynamic imports of this file: importing the package itself would bundle all of it.
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
