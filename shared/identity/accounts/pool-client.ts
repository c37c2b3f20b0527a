// Calls of the user pool. Its client is loaded on first use, because it costs start-up time. Transient faults are retried.
import type { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider'
import type * as Cognito from '../../base/aws/cognito.ts'
import { currentRuntime } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { unavailable } from '../../base/lib/failure.ts'
import { hmacSha256 } from '../../base/lib/json.ts'
import { once } from '../../base/lib/memory.ts'
import { jitter, retry } from '../../base/kernel/retry.ts'
import { NOT_ACTIVE } from './user.ts'

const TRIES = 3
const PAUSE_MS = 200

/** Errors that say nothing about the request: throttling, or a trigger function of the pool that did not answer. */
const TRANSIENT = new Set([
  'TooManyRequestsException',
  'LimitExceededException',
  'UnexpectedLambdaException',
  'InvalidLambdaResponseException',
])

/** Whether the error is the pool's answer to this request. */
function isAnswer(error: unknown): error is Error {
  if (!(error instanceof Error && '$fault' in error && error.$fault === 'client')) return false
  if (error.name === 'UserLambdaValidationException') return error.message.includes(NOT_ACTIVE)
  return !TRANSIENT.has(error.name)
}

/** Errors of a call carry `$metadata`. Anything else is a fault in our code. */
const isTransient = (error: unknown) => error instanceof Error && '$metadata' in error && !isAnswer(error)

/** Whether the pool refused with one of these errors. */
export const isRefusal = (error: unknown, ...names: string[]): boolean => isAnswer(error) && names.includes(error.name)

/** `tries`: 1 for what would not work a second time. Throws the pool's refusals as they are, 503 for anything else. */
export async function withPool<T>(
  run: (client: CognitoIdentityProviderClient, sdk: typeof Cognito) => Promise<T>,
  tries = TRIES,
): Promise<T> {
  const sdk = await import('../../base/aws/cognito.ts')
  const runtime = currentRuntime()
  return retry(
    () => run(sdk.cognito(), sdk),
    [
      {
        is: isTransient,
        tries,
        pause: (met) => jitter(runtime, PAUSE_MS * 2 ** met),
        spent: (last) => unavailable('The user directory does not answer. Try again later.', last),
      },
    ],
  )
}

/** The secret of the app client, which every sign-in needs. */
export const clientSecret = /* @__PURE__ */ once(async (): Promise<string> => {
  const app = { UserPoolId: env('COGNITO_POOL_ID'), ClientId: env('COGNITO_CLIENT_ID') }
  const { UserPoolClient } = await withPool((client, { DescribeUserPoolClientCommand }) =>
    client.send(new DescribeUserPoolClientCommand(app)),
  )
  if (!UserPoolClient?.ClientSecret) throw new Error('the app client of the pool has no secret')
  return UserPoolClient.ClientSecret
})

/** `SECRET_HASH` of a user (Cognito developer guide, "Computing secret hash values"). */
export async function secretHash(username: string): Promise<string> {
  return hmacSha256(await clientSecret(), `${username}${env('COGNITO_CLIENT_ID')}`).toString('base64')
}
