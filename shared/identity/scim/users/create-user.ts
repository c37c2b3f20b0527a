// Creates a person of a directory: an account with its resource; in test mode the resource alone.
import { changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { Failure } from '../../../base/lib/failure.ts'
import { newMail } from '../../../ledger/events/mail.ts'
import { freshTenant } from '../../../base/tenant/find.ts'
import { isOfVerifiedDomain } from '../../domains/domain.ts'
import { createAccount } from '../../users/create-account.ts'
import { raisedBy } from '../../access/raised.ts'
import { mustNotBeLeaked } from '../../users/leaked-password.ts'
import { goodPassword } from '../../accounts/password.ts'
import { headCountWrite } from '../../accounts/head-count.ts'
import { disablePoolUser } from '../../accounts/pool.ts'
import { emailHash, emails } from '../../accounts/user.ts'
import { peopleOf } from './find-users.ts'
import { keyWrites } from '../filter/keys.ts'
import { normalise } from '../patch/normalise.ts'
import { type Resource, USER } from '../resource-type.ts'
import { type Person, scimUsers, storedText } from './user.ts'
import { newTestId, testChange } from './test-user.ts'
import { accountFields, claimUserName, mustBeFree, mustHaveGoodAddresses } from './fields.ts'

/** The role of new people. Groups may give them more, once the people have proven that the mailbox is theirs. */
const FIRST_ROLES = ['member']

/**
 * Creates a person. Throws 409 uniqueness when somebody has the user name, 400 for a resource that breaks the schema. A directory
 * cannot choose roles: everybody begins as a member, and groups give more once the person has proven that the account is theirs. Of
 * two concurrent requests for one user name one gets 409.
 */
export async function createUser(ctx: Context, body: Resource): Promise<Person> {
  const resource = normalise(USER, body)
  mustHaveGoodAddresses(resource)
  await mustBeFree(ctx, String(resource.userName))
  return ctx.space.mode === 'live' ? createLive(ctx, resource) : createTest(ctx, resource)
}

async function createLive(ctx: Context, resource: Resource): Promise<Person> {
  const { email, name } = accountFields(resource)
  const active = resource.active !== false
  const address = await freeAddress(ctx, email)
  const isVerified = address !== null && (await isOfVerifiedDomain(ctx.table, ctx.space.tenant_id, address))
  const password = await usablePassword(ctx, resource, email)
  const account = await createAccount(ctx, {
    email: address,
    verified_by: isVerified ? 'directory' : undefined, // a directory speaks only for domains that the tenant has verified
    name,
    roles: FIRST_ROLES,
    source: 'scim',
    raised: await raisedBy(ctx),
    status: active ? 'active' : 'suspended',
    password,
    proof_due: password === undefined ? 'address' : 'password',
    also: async ({ id, username, created_at }) => {
      if (!active) await disablePoolUser(username)
      const mails = address === null || isVerified ? [] : [newMail(ctx, 'verify_email', { user_id: id })]
      return { writes: await resourceWrites(ctx, id, resource, created_at), mails }
    },
  })
  return (await peopleOf(ctx, [account.id]))[0] ?? { id: account.id, account }
}

/** Null when another account of the tenant has the address: then only the resource keeps it. */
async function freeAddress({ table, space }: Context, email: string | null): Promise<string | null> {
  if (email === null) return null
  const reserved = await table.get(emails, { email_hash: emailHash(email), tenant_id: space.tenant_id })
  return reserved?.state === 'complete' ? null : email
}

/**
 * The password of a new account; undefined when it breaks the policy. Directories often send a placeholder (Okta always sends
 * eight random characters), and refusing that would block the whole creation. Later changes of a password are refused.
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
  const writes = [
    ...(await resourceWrites(ctx, id, resource, iso(ctx.now()))),
    headCountWrite(ctx.space, 'users', id, 1),
  ]
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
