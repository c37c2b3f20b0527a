// The user pool, which holds the password of each account and issues its session tokens. Only this file and `pool-client.ts`
// use Amazon Cognito, which is why this one is long. All calls throw 503 while the pool does not answer.
import type { AttributeType, AuthenticationResultType } from '@aws-sdk/client-cognito-identity-provider'
import { env } from '../../base/lib/runtime.ts'
import { Failure, invalid } from '../../base/lib/failure.ts'
import type { RandomBytes } from '../../base/lib/ids.ts'
import { clientSecret, isRefusal, secretHash, withPool } from './pool-client.ts'

/** `session_id`: the same for all tokens of one sign-in (`origin_jti`). `expires_in` in seconds. */
export type PoolTokens = { access_token: string; refresh_token: string; session_id: string; expires_in: number }

const inPool = () => ({ UserPoolId: env('COGNITO_POOL_ID') })
const named = (username: string) => ({ ...inPool(), Username: username })
const forClient = () => ({ ...inPool(), ClientId: env('COGNITO_CLIENT_ID') })
const asClient = async () => ({ ClientId: env('COGNITO_CLIENT_ID'), ClientSecret: await clientSecret() })
const attribute = (Name: string, Value: string) => ({ Name, Value })
const badAddress = () => invalid(['email'], 'This address cannot be used to sign in. Use another one.')

/** Returns the id of the account. May be repeated with the same username. Throws 422 for an address the pool refuses. */
export async function createPoolUser(user: {
  username: string
  tenant_id: string
  email: string | null
}): Promise<string> {
  const input = named(user.username)
  const UserAttributes = [
    attribute('custom:tenant_id', user.tenant_id),
    ...(user.email === null ? [] : [attribute('email', user.email)]),
  ]
  try {
    const { User } = await withPool((pool, { AdminCreateUserCommand }) =>
      pool.send(new AdminCreateUserCommand({ ...input, UserAttributes, MessageAction: 'SUPPRESS' })),
    )
    return idIn(User?.Attributes)
  } catch (error) {
    if (isRefusal(error, 'InvalidParameterException')) throw badAddress()
    if (!isRefusal(error, 'UsernameExistsException')) throw error
    const known = await withPool((pool, { AdminGetUserCommand }) => pool.send(new AdminGetUserCommand(input)))
    return idIn(known.UserAttributes)
  }
}

function idIn(attributes: AttributeType[] = []): string {
  const sub = attributes.find(({ Name }) => Name === 'sub')?.Value
  if (!sub) throw new Error('the pool gave a user without an id')
  return sub
}

/** Also confirms the user, so that they can sign in. Throws 422 for a password that the pool refuses. */
export async function setPoolPassword(username: string, password: string): Promise<void> {
  const input = { ...named(username), Password: password, Permanent: true }
  try {
    await withPool((pool, { AdminSetUserPasswordCommand }) => pool.send(new AdminSetUserPasswordCommand(input)))
  } catch (error) {
    const refused = isRefusal(error, 'InvalidPasswordException', 'InvalidParameterException')
    throw refused ? invalid(['password'], 'This password is not accepted. Choose another one.') : error
  }
}

/** A password that nobody knows. */
export const unguessable = (random: RandomBytes): string => Buffer.from(random(48)).toString('base64url')

/** Errors that mean a refused sign-in. An unknown username is one of them, so that both cases take one call. */
const REFUSED = [
  'NotAuthorizedException',
  'UserNotFoundException',
  'UserLambdaValidationException',
  'UserNotConfirmedException',
  'PasswordResetRequiredException',
]

/** `refused`: wrong password, too many attempts, inactive account, or unknown username. */
export async function checkPassword(username: string, password: string, ip: string): Promise<PoolTokens | 'refused'> {
  const input = {
    ...forClient(),
    AuthFlow: 'ADMIN_USER_PASSWORD_AUTH' as const,
    AuthParameters: { USERNAME: username, PASSWORD: password, SECRET_HASH: await secretHash(username) },
    ContextData: { IpAddress: ip, ServerName: new URL(env('BASE_URL')).host, ServerPath: '/', HttpHeaders: [] },
  }
  try {
    const answer = await withPool((pool, { AdminInitiateAuthCommand }) =>
      pool.send(new AdminInitiateAuthCommand(input)),
    )
    return tokensIn(answer.AuthenticationResult)
  } catch (error) {
    if (isRefusal(error, ...REFUSED)) return 'refused'
    throw error
  }
}

/** Signs in without a password (`sessions/ticket.ts`). Throws 401 for a ticket that is used, expired or another account's. */
export async function mintForTicket(username: string, ticket: string): Promise<PoolTokens> {
  const known = { USERNAME: username, SECRET_HASH: await secretHash(username) }
  try {
    const challenge = await withPool((pool, { AdminInitiateAuthCommand }) =>
      pool.send(new AdminInitiateAuthCommand({ ...forClient(), AuthFlow: 'CUSTOM_AUTH', AuthParameters: known })),
    )
    const response = {
      ...forClient(),
      ChallengeName: 'CUSTOM_CHALLENGE' as const,
      ChallengeResponses: { ...known, ANSWER: ticket },
      Session: challenge.Session,
    }
    const answer = await withPool(
      (pool, { AdminRespondToAuthChallengeCommand }) => pool.send(new AdminRespondToAuthChallengeCommand(response)),
      1, // session and ticket are valid for one answer
    )
    return tokensIn(answer.AuthenticationResult)
  } catch (error) {
    throw isRefusal(error, ...REFUSED)
      ? new Failure('unauthenticated', 'This link or token is invalid or has expired. Start again to get a new one.')
      : error
  }
}

/** `revoked`: also for an expired token and an inactive account. */
export async function refreshPoolTokens(
  refresh_token: string,
): Promise<{ access_token: string; expires_in: number } | 'revoked'> {
  const client = await asClient()
  try {
    const answer = await withPool((pool, { GetTokensFromRefreshTokenCommand }) =>
      pool.send(new GetTokensFromRefreshTokenCommand({ ...client, RefreshToken: refresh_token })),
    )
    const { AccessToken, ExpiresIn } = answer.AuthenticationResult ?? {}
    return { access_token: given(AccessToken), expires_in: given(ExpiresIn) }
  } catch (error) {
    if (isRefusal(error, ...REFUSED)) return 'revoked'
    throw error
  }
}

/** Ends all tokens of that sign-in. An invalid token is not an error. */
export async function revokePoolToken(refresh_token: string): Promise<void> {
  const client = await asClient()
  try {
    await withPool((pool, { RevokeTokenCommand }) =>
      pool.send(new RevokeTokenCommand({ ...client, Token: refresh_token })),
    )
  } catch (error) {
    if (!isRefusal(error, ...REFUSED, 'UnauthorizedException')) throw error
  }
}

/** `null` removes the address. */
export async function setPoolEmail(username: string, email: string | null): Promise<void> {
  const input = { ...named(username), UserAttributes: [attribute('email', email ?? '')] }
  try {
    await withPool((pool, { AdminUpdateUserAttributesCommand }) =>
      pool.send(new AdminUpdateUserAttributesCommand(input)),
    )
  } catch (error) {
    throw isRefusal(error, 'InvalidParameterException') ? badAddress() : error
  }
}

/** Also ends its tokens. Enabling the user again does not restore them. */
export const disablePoolUser = (username: string): Promise<void> =>
  ignoreMissing(
    withPool((pool, { AdminDisableUserCommand }) => pool.send(new AdminDisableUserCommand(named(username)))),
  )

/** Throws for a user that no longer exists. */
export async function enablePoolUser(username: string): Promise<void> {
  await withPool((pool, { AdminEnableUserCommand }) => pool.send(new AdminEnableUserCommand(named(username))))
}

/** May be repeated: a missing user is no error. */
export const deletePoolUser = (username: string): Promise<void> =>
  ignoreMissing(withPool((pool, { AdminDeleteUserCommand }) => pool.send(new AdminDeleteUserCommand(named(username)))))

/** Ends all tokens of the account, so that none can be refreshed. */
export const signOutPoolUser = (username: string): Promise<void> =>
  ignoreMissing(
    withPool((pool, { AdminUserGlobalSignOutCommand }) =>
      pool.send(new AdminUserGlobalSignOutCommand(named(username))),
    ),
  )

/** A user that no longer exists is not an error. */
async function ignoreMissing(ending: Promise<unknown>): Promise<void> {
  try {
    await ending
  } catch (error) {
    if (!isRefusal(error, 'UserNotFoundException')) throw error
  }
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the pool answered without tokens')
  return value
}

/** Reads the token without checking its signature, because it came from the pool over TLS. */
function tokensIn(result: AuthenticationResultType | undefined): PoolTokens {
  const access_token = given(result?.AccessToken)
  const payload = Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()
  const { origin_jti }: { origin_jti?: string } = JSON.parse(payload)
  return {
    access_token,
    refresh_token: given(result?.RefreshToken),
    session_id: given(origin_jti),
    expires_in: given(result?.ExpiresIn),
  }
}
