// Changes a person by PUT or PATCH. Fields of the account (address, name, password, status) follow the resource only if they
// changed in the resource, so that changes by an administrator stay.
import type { Context } from '../../../base/context.ts'
import { canonicalJson } from '../../../base/lib/json.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../../base/kernel/retry.ts'
import { changeTestUser } from './test-user.ts'
import { findPerson } from './find-users.ts'
import { mustMatch, type Resource, USER } from '../resource-type.ts'
import { normalise } from '../patch/normalise.ts'
import { readOperations } from '../patch/operations.ts'
import { applyPatch } from '../patch/patch.ts'
import { attributesOf, type Person, versionOf } from './user.ts'
import type { LeaveBehind } from '../../users/deprovision.ts'
import { accountFields, changedResource, mustBeFree, mustHaveGoodAddresses, sameUserName } from './fields.ts'
import { changed } from '../../../ledger/audit/changed.ts'
import { freshCustomRoles, isMoreThanMember } from '../../access/permissions.ts'
import { iso } from '../../../base/lib/clock.ts'
import { forbidden } from '../../../base/lib/failure.ts'
import { type Mail, newMail } from '../../../ledger/events/mail.ts'
import { logoutsOf } from '../../artefacts/logouts.ts'
import { endSessions } from '../../sessions/end-sessions.ts'
import type { Stored, Write } from '../../../base/table/entity.ts'
import { freshTenant } from '../../../base/tenant/find.ts'
import { mustLeaveOwner } from '../../users/set-roles.ts'
import { emailChange, releaseAddress, withoutLinks } from '../../users/change-email.ts'
import { mustNotBeLeaked } from '../../users/leaked-password.ts'
import { directoryMustOutrank } from '../../access/outrank.ts'
import { raisedBy } from '../../access/raised.ts'
import { setPoolEmail, setPoolPassword, signOutPoolUser } from '../../accounts/pool.ts'
import { emailHash, emails, type ProofDue, stronger, type User, users, verifiedAs } from '../../accounts/user.ts'
import { restore } from '../../users/restore.ts'
import { goodPasswordOf } from '../../users/set-password.ts'
import { userUpdated } from '../../accounts/find.ts'

/** `unchanged`: nothing differed, so nothing was recorded. */
export type Outcome = { person: Person; unchanged: boolean }

/** `leaveBehind`: for a change that ends the person's access. */
type Conditions = { ifMatch?: string | undefined; leaveBehind: LeaveBehind }

/** A change from one resource to another. `fields`: the attributes that differ, except `active`. */
export type UserChange = { was: Resource; next: Resource; fields: string[]; password?: string }

/** Clears all attributes that the body leaves out, except the status. */
export const replaceUser = (ctx: Context, id: string, body: Resource, how: Conditions): Promise<Outcome> => {
  const sent = normalise(USER, body)
  return change(ctx, id, ({ active }) => ({ active, ...sent }), how)
}

/** Applies all operations or none. */
export const patchUser = (ctx: Context, id: string, body: Resource, how: Conditions): Promise<Outcome> => {
  const operations = readOperations(USER, body)
  return change(ctx, id, (was) => applyPatch(USER, was, operations), how)
}

async function change(ctx: Context, id: string, edit: (was: Resource) => Resource, how: Conditions) {
  return retryWhenChanged(async (): Promise<Outcome> => {
    const person = await findPerson(ctx, id)
    mustMatch(how.ifMatch, versionOf(person))
    const was = attributesOf(person)
    const { password, ...rest } = edit(was)
    const next: Resource = { ...rest, active: rest.active ?? was.active }
    const fields = fieldsThatDiffer(was, next)
    if (fields.length === 0 && password === undefined && next.active === was.active) return { person, unchanged: true }
    if (fields.includes('emails')) mustHaveGoodAddresses(next)
    if (!sameUserName(was.userName, next.userName)) await mustBeFree(ctx, String(next.userName), id)
    const changes = { was, next, fields, ...(typeof password === 'string' && { password }) }
    const { account } = person
    await (account
      ? changeAccount(ctx, { ...person, account }, changes, how.leaveBehind)
      : changeTestUser(ctx, person, changes))
    return { person: await findPerson(ctx, id), unchanged: false }
  })
}

const fieldsThatDiffer = (was: Resource, next: Resource): string[] =>
  [...new Set([...Object.keys(was), ...Object.keys(next)])]
    .filter((name) => name !== 'active' && canonicalJson(was[name] ?? null) !== canonicalJson(next[name] ?? null))
    .toSorted()

type WithAccount = Person & { account: Stored<User> }

/**
 * Applies a changed resource to its account. The user pool is changed before the commit, so that a refusal of the pool changes nothing.
 * Ending or restoring access comes last, in a step of its own that can be repeated.
 */
async function changeAccount(
  ctx: Context,
  person: WithAccount,
  changes: UserChange,
  leaveBehind: LeaveBehind,
): Promise<void> {
  const { was, next, fields, password } = changes
  const ends = was.active === true && next.active === false
  // All checks come before the first write, so that a refused change stores nothing.
  if (ends) await mustLeaveOwner(ctx, person.account)
  if (touchesAccess(person.account, changes)) await directoryMustOutrank(ctx, person.account)
  if (password !== undefined && (await mayBeMore(ctx, person.account))) throw ownPasswordOnly()
  const changesMore = fields.length > 0 || password !== undefined
  const account = changesMore ? await store(ctx, person, changes) : person.account
  if (ends) {
    const { deprovision } = await import('../../users/deprovision.ts') // loaded only when needed: few changes end access, and this imports much
    await deprovision(ctx, account, { to: 'suspended', source: 'scim', leaveBehind })
  }
  if (was.active === false && next.active === true) await restore(ctx, account, 'scim')
}

async function store(ctx: Context, person: WithAccount, changes: UserChange): Promise<Stored<User>> {
  const { account } = person
  const { fields, password } = changes
  if (password !== undefined) await setPassword(ctx, account, password)
  const resource = await changedResource(ctx, person, changes)
  const address = await changeAddress(ctx, account, changes)
  const raised = touchesAccess(account, changes) ? await raisedBy(ctx, account) : account.raised
  const next = { ...address.next, ...changedRest(ctx, changes), raised }
  if (password !== undefined) next.proof_due = stronger(next.proof_due, 'password')
  const named = [...fields, ...(password === undefined ? [] : ['password'])]
  const notices = password === undefined ? [] : [newMail(ctx, 'password_changed', { user_id: account.id })]
  const logouts = password === undefined ? [] : await logoutsOf(ctx, account.id)
  const record = changed(
    ctx,
    [
      {
        action: 'user.updated',
        artifact: 'identity.user.updated',
        subject: { type: 'user', id: account.id, name: next.name },
        data: { changed_fields: named, source: 'scim' },
        changes: named.map((path) => ({ path, before: '***', after: '***' })),
        events: [userUpdated(next, account._v + 1, named, 'scim')],
      },
    ],
    { mails: [...address.mails, ...notices], logouts },
  )
  const replaced = users.replace(next, account, new ChangedMeanwhile())
  await ctx.table.commit([replaced, ...resource, ...address.writes, ...record])
  if (password !== undefined) {
    await Promise.all([signOutPoolUser(account.username), endSessions(ctx, account, 'password_changed')])
  }
  return { ...next, _v: account._v + 1 }
}

const mayBeMore = async ({ table }: Context, account: User): Promise<boolean> =>
  isMoreThanMember(account, await freshCustomRoles(table, account.tenant_id))

const ownPasswordOnly = () =>
  forbidden(
    'A directory cannot set the password of an account with more rights than a member. Its person sets one by a link ' +
      '(POST /api/v1/auth/password/forgot).',
  )

/** Whether the change affects sign-in: the status, the password, the user name or the address. */
const touchesAccess = (account: User, { was, next, password }: UserChange): boolean =>
  was.active !== next.active ||
  password !== undefined ||
  !sameUserName(was.userName, next.userName) ||
  movesAddress(account, { was, next })

async function setPassword(ctx: Context, account: User, password: string): Promise<void> {
  const tenant = await freshTenant(ctx.table, account.tenant_id)
  const good = goodPasswordOf(account, tenant, password)
  await mustNotBeLeaked(good)
  await setPoolPassword(account.username, good)
}

/** Name and times. The name changes only if the directory changed it, so that a name set elsewhere stays. */
function changedRest(ctx: Context, { was, next, password }: UserChange): Partial<User> {
  const [before, after] = [accountFields(was).name, accountFields(next).name]
  const now = iso(ctx.now())
  return {
    ...(after !== before && { name: after }),
    ...(password !== undefined && { tokens_valid_after: now }),
    updated_at: now,
  }
}

type Address = { next: User; writes: Write[]; mails: Mail[] }

/** When another account has the address, only the resource takes it, and this account keeps its own. */
async function changeAddress(ctx: Context, account: Stored<User>, { was, next }: UserChange): Promise<Address> {
  const same: Address = { next: account, writes: [], mails: [] }
  if (!movesAddress(account, { was, next })) return same
  const after = accountFields(next).email
  if (after === null) return withoutAddress(account)
  const reserved = await ctx.table.get(emails, { email_hash: emailHash(after), tenant_id: account.tenant_id })
  if (reserved && reserved.user_id !== account.id) return same
  // The directory speaks for addresses of the tenant's own domains, even when the account was created otherwise.
  const named = { ...account, proof_due: await proofOfMove(ctx, account) }
  return emailChange(ctx, { ...account, source: 'scim' }, named, after)
}

/**
 * The new mailbox may belong to somebody else. They cannot show the factor of the person. Where there is none, only the
 * identity provider of the tenant says who the person is.
 */
async function proofOfMove(ctx: Context, account: User): Promise<ProofDue> {
  const protects = account.mfa_enrolled || !(await mayBeMore(ctx, account))
  return stronger(account.proof_due, protects ? 'address' : 'provider')
}

function movesAddress(account: User, { was, next }: Pick<UserChange, 'was' | 'next'>): boolean {
  const [before, after] = [accountFields(was).email, accountFields(next).email]
  return before !== after && !isSameAddress(after, account.email)
}

const isSameAddress = (a: string | null, b: string | null): boolean =>
  a === b || (a !== null && b !== null && emailHash(a) === emailHash(b))

async function withoutAddress(account: Stored<User>): Promise<Address> {
  if (account.email === null) return { next: account, writes: [], mails: [] }
  await setPoolEmail(account.username, null)
  const next = { ...account, email: null, ...verifiedAs(undefined), epochs: withoutLinks(account) }
  return { next, writes: [releaseAddress(emailHash(account.email), account)], mails: [] }
}
