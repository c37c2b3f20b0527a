// The user pool for tests: the stand-in, or the one of a deployment when the environment names it. People in it have their
// item in the table, since the pool's functions read it.
import { randomBytes } from 'node:crypto'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { openTable, systemContext } from '../../shared/base/context.ts'
import { env } from '../../shared/base/lib/runtime.ts'
import { ulid } from '../../shared/base/lib/ids.ts'
import type { Stored } from '../../shared/base/table/entity.ts'
import { createPoolUser, setPoolPassword } from '../../shared/identity/accounts/pool.ts'
import { NEW_USER, type User, users } from '../../shared/identity/accounts/user.ts'
import { startLocalStack } from './local-stack.ts'

export const IP = '203.0.113.9'
export const PASSWORD = 'correct horse battery staple'

const { TEST_AWS_POOL_ID, TEST_AWS_CLIENT_ID, TEST_AWS_TABLE_NAME, AWS_REGION } = process.env

/** Gives what ends it. With TEST_AWS_POOL_ID, TEST_AWS_CLIENT_ID, TEST_AWS_TABLE_NAME and AWS_REGION it is a real one. */
export async function openPool(): Promise<() => Promise<void>> {
  if (!TEST_AWS_POOL_ID) return (await startLocalStack()).stop
  Object.assign(process.env, {
    COGNITO_POOL_ID: TEST_AWS_POOL_ID,
    COGNITO_CLIENT_ID: TEST_AWS_CLIENT_ID,
    COGNITO_ISSUER: `https://cognito-idp.${AWS_REGION}.amazonaws.com/${TEST_AWS_POOL_ID}`,
    TABLE_NAME: TEST_AWS_TABLE_NAME,
    BASE_URL: 'https://api.countersign.example',
  })
  return async () => {}
}

/** A tenant of its own, in name only. */
export const newSpace = () => ({ tenant_id: `ten_${ulid(Date.now(), randomBytes)}`, mode: 'live' as const })

/** An active account with `PASSWORD`. */
export async function newPerson(space = newSpace(), over: Partial<User> = {}): Promise<Stored<User>> {
  const ctx = systemContext(space)
  const username = ulid(ctx.now(), ctx.random)
  const email = `${username.toLowerCase()}@countersign.example`
  const id = await createPoolUser({ username, tenant_id: space.tenant_id, email })
  await setPoolPassword(username, PASSWORD)
  const at = new Date(ctx.now()).toISOString()
  const user: User = {
    ...NEW_USER,
    id,
    tenant_id: space.tenant_id,
    username,
    email,
    email_verified: true,
    name: 'Anna',
    roles: ['developer'],
    status: 'active',
    source: 'register',
    created_at: at,
    updated_at: at,
    ...over,
  }
  await ctx.table.commit([users.insert(user)])
  return { ...user, _v: 1 }
}

/** The account with other members, as a verb would leave it. */
export async function changePerson(was: Stored<User>, over: Partial<User>): Promise<void> {
  const { _v, ...user } = was
  await openTable().commit([users.replace({ ...user, ...over }, { _v })])
}

/** The claims of a token whose signature the pool's published keys confirm. Times are not looked at. */
export async function verified(token: string): Promise<Record<string, unknown>> {
  const keys = createRemoteJWKSet(new URL(`${env('COGNITO_ISSUER')}/.well-known/jwks.json`))
  const { payload } = await jwtVerify(token, keys, {
    algorithms: ['RS256'],
    currentDate: new Date(0),
    clockTolerance: 0,
  })
  return payload
}
