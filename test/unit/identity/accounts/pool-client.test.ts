import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { resetClients } from '../../../../shared/base/aws/clients.ts'
import { setRuntime } from '../../../../shared/base/context.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import { NOT_ACTIVE } from '../../../../shared/identity/accounts/user.ts'
import {
  checkPassword,
  createPoolUser,
  mintForTicket,
  refreshPoolTokens,
  setPoolEmail,
} from '../../../../shared/identity/accounts/pool.ts'
import { secretHash } from '../../../../shared/identity/accounts/pool-client.ts'
import { intercept } from '../../../support/intercept.ts'
import { stillClock } from '../../../support/still-clock.ts'

const clock = stillClock()
/** The next answers of each command; the last one stays. */
let answers: Record<string, (object | Error)[]>
let calls: { name: string; input: object }[]

beforeEach(() => {
  coldStart()
  Object.assign(process.env, { COGNITO_POOL_ID: 'pool', COGNITO_CLIENT_ID: 'client', BASE_URL: 'https://api.example' })
  Object.assign(process.env, { AWS_REGION: 'us-east-1' })
  answers = { DescribeUserPoolClient: [{ UserPoolClient: { ClientSecret: 'secret' } }] }
  calls = []
  setRuntime({ clock, random: (size) => new Uint8Array(size).fill(255) })
  resetClients([
    (client) =>
      intercept(client, async (call) => {
        calls.push(call)
        const [next = {}, ...others] = answers[call.name] ?? []
        if (others.length > 0) answers[call.name] = others
        if (next instanceof Error) throw next
        return next
      }),
  ])
})
afterEach(() => resetClients())

const refusal = (name: string, message = '') =>
  Object.assign(new Error(message), { name, $fault: 'client', $metadata: {} })
const broken = (name: string) => Object.assign(new Error(name), { name, $metadata: {} })
const asked = (name: string) => calls.filter((call) => call.name === name).length

const token = `x.${Buffer.from(JSON.stringify({ origin_jti: 'sid' })).toString('base64url')}.x`
const TOKENS = { AuthenticationResult: { AccessToken: token, RefreshToken: 'refresh', ExpiresIn: 900 } }
const PASSING = [
  refusal('TooManyRequestsException'),
  refusal('LimitExceededException'),
  refusal('UnexpectedLambdaException'),
  refusal('InvalidLambdaResponseException'),
  refusal('UserLambdaValidationException', 'PreTokenGeneration failed with error the table does not answer.'),
  broken('InternalErrorException'),
  broken('TimeoutError'),
]

describe('what may pass', () => {
  test.each(PASSING.map((error) => [error.name, error] as const))(
    '%s: is tried three times, then 503',
    async (_, error) => {
      const begun = clock.now()
      answers.AdminInitiateAuth = [error]

      await expect(checkPassword('user', 'password', '203.0.113.9')).rejects.toMatchObject({ kind: 'unavailable' })

      expect(asked('AdminInitiateAuth')).toBe(3)
      expect(clock.now() - begun).toBeGreaterThan(1_000) // pauses of at most 400 and 800 ms, here nearly all of them
      expect(clock.now() - begun).toBeLessThan(1_200)
    },
  )

  test('is forgotten when the next try works', async () => {
    answers.AdminInitiateAuth = [refusal('TooManyRequestsException'), broken('TimeoutError'), TOKENS]

    expect(await checkPassword('user', 'password', '203.0.113.9')).toEqual({
      access_token: token,
      refresh_token: 'refresh',
      session_id: 'sid',
      expires_in: 900,
    })
  })

  test('is also that nobody listens', async () => {
    resetClients() // the SDK as it is
    vi.stubEnv('AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER', 'http://127.0.0.1:1')
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local')
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local')

    await expect(secretHash('user')).rejects.toMatchObject({ kind: 'unavailable' })
    vi.unstubAllEnvs()
  })

  test('does not make a ticket be answered twice', async () => {
    answers.AdminInitiateAuth = [{ Session: 'session' }]
    answers.AdminRespondToAuthChallenge = [broken('TimeoutError'), TOKENS]

    await expect(mintForTicket('user', 'ticket')).rejects.toMatchObject({ kind: 'unavailable' })
    expect(asked('AdminRespondToAuthChallenge')).toBe(1)
  })
})

describe('what the pool answers', () => {
  test.each([
    refusal('NotAuthorizedException', 'Incorrect username or password.'),
    refusal('NotAuthorizedException', 'Password attempts exceeded'),
    refusal('NotAuthorizedException', 'User is disabled.'),
    refusal('UserNotFoundException'),
    refusal('UserLambdaValidationException', `PreTokenGeneration failed with error ${NOT_ACTIVE}.`),
  ])('$name $message: is one refusal, asked once', async (error) => {
    answers.AdminInitiateAuth = [error]
    answers.GetTokensFromRefreshToken = [error]

    expect(await checkPassword('user', 'password', '203.0.113.9')).toBe('refused')
    expect(await refreshPoolTokens('refresh')).toBe('revoked')
    expect([asked('AdminInitiateAuth'), asked('GetTokensFromRefreshToken')]).toEqual([1, 1])
  })

  test('an address that it refuses is reported as such', async () => {
    answers.AdminCreateUser = [refusal('InvalidParameterException')]
    answers.AdminUpdateUserAttributes = [refusal('InvalidParameterException')]
    const email = 'odd'

    for (const call of [createPoolUser({ username: 'user', tenant_id: 'ten_1', email }), setPoolEmail('user', email)]) {
      await expect(call).rejects.toMatchObject({ kind: 'invalid' })
    }
  })

  test('a wrong setting of ours is no wrong password', async () => {
    for (const error of [refusal('ResourceNotFoundException'), refusal('InvalidParameterException')]) {
      answers.AdminInitiateAuth = [error]
      await expect(checkPassword('user', 'password', '203.0.113.9')).rejects.toBe(error)
    }
  })
})

describe('the secret of the client', () => {
  test('is read once', async () => {
    await Promise.all([secretHash('a'), secretHash('b')])
    await secretHash('c')

    expect(asked('DescribeUserPoolClient')).toBe(1)
  })

  test('is read again after a failure', async () => {
    answers.DescribeUserPoolClient = [refusal('AccessDeniedException'), { UserPoolClient: { ClientSecret: 'secret' } }]

    await expect(secretHash('a')).rejects.toMatchObject({ name: 'AccessDeniedException' })
    await expect(secretHash('a')).resolves.toHaveLength(44)
  })

  test('goes into the hash as HMAC-SHA256 over username and client id', async () => {
    answers.DescribeUserPoolClient = [{ UserPoolClient: { ClientSecret: 'Jefe' } }]

    // RFC 4231, test case 2: the text is split between the two.
    process.env.COGNITO_CLIENT_ID = ' want for nothing?'
    expect(Buffer.from(await secretHash('what do ya'), 'base64').toString('hex')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })
})
