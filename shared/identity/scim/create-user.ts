import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { createAccount } from '../users/create-account.ts'
import { mustNotBeLeaked } from '../users/leaked-password.ts'
import { goodPassword } from '../users/password.ts'
import { disablePoolUser } from '../users/pool.ts'
import { emailHash, emails } from '../users/user.ts'
import { peopleOf } from './find-users.ts'
import { keyWrites } from './keys.ts'
import { normalise } from './normalise.ts'
import { type Resource, USER } from './resource-type.ts'
import { type Person, scimUsers } from './stored-user.ts'
import { newTestId, testChange } from './test-user.ts'
import { accountFields } from './user-fields.ts'
import { claimUserName, mustBeFree } from './user-name.ts'
import { storedText } from './user-view.ts'

/** New people become members of the tenant; groups may give them more. */
const FIRST_ROLES = ['member']

/** Throws 409 uniqueness for a user name that somebody has, 400 for what the schema does not allow. */
export async function createUser(ctx: Context, body: Resource): Promise<Person> {
  const resource = normalise(USER, body)
  await mustBeFree(ctx, String(resource.userName))
  return ctx.space.mode === 'live' ? createLive(ctx, resource) : createTest(ctx, resource)
}

async function createLive(ctx: Context, resource: Resource): Promise<Person> {
  const { email, name } = accountFields(resource)
  const active = resource.active !== false
  const account = await createAccount(ctx, {
    email: await freeAddress(ctx, email),
    email_verified: true, // the directory answers for it
    name,
    roles: FIRST_ROLES,
    source: 'scim',
    status: active ? 'active' : 'suspended',
    password: await usablePassword(ctx, resource, email),
    also: async ({ id, username, created_at }) => {
      if (!active) await disablePoolUser(username)
      return { writes: await resourceWrites(ctx, id, resource, created_at) }
    },
  })
  return (await peopleOf(ctx, [account.id]))[0] ?? { id: account.id, account }
}

/** An address that another account of the tenant has stays in the resource, and signs nobody else in. */
async function freeAddress({ table, space }: Context, email: string | null): Promise<string | null> {
  if (email === null) return null
  const reserved = await table.get(emails, { email_hash: emailHash(email), tenant_id: space.tenant_id })
  return reserved?.state === 'complete' ? null : email
}

/**
 * What a directory sends with a new account is often a placeholder (Okta: eight random characters, always), so one that
 * breaks the policy is left out here, where nobody could use it anyway; a later change of the password is refused.
 */
async function usablePassword({ table, space }: Context, { password }: Resource, email: string | null) {
  if (typeof password !== 'string') return undefined
  const { session_policy } = await freshTenant(table, space.tenant_id)
  try {
    const good = goodPassword(password, { email, min_length: session_policy.password_min_length })
    await mustNotBeLeaked(good)
    return good
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

async function createTest(ctx: Context, resource: Resource): Promise<Person> {
  const id = newTestId(ctx)
  const writes = await resourceWrites(ctx, id, resource, iso(ctx.now()))
  await ctx.table.commit([...writes, ...changed(ctx, [testChange(id, 'created', resource, 1)])])
  return (await peopleOf(ctx, [id]))[0] ?? { id }
}

async function resourceWrites(ctx: Context, id: string, resource: Resource, at: string) {
  const { space } = ctx
  const text = storedText(resource, space.mode)
  return [
    scimUsers.insert({ ...space, id, resource: text, created_at: at, updated_at: at }),
    await claimUserName(ctx, String(resource.userName), id),
    ...keyWrites(space, USER, id, {}, resource),
  ]
}
