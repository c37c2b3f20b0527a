// The account of a person who signs in through an identity provider. It is found by its tie or by the address, updated with
// the name and address from the provider, or created.
import { givenRoles } from '../access/roles.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored } from '../../base/table/entity.ts'
import { actingAs } from '../accounts/acting.ts'
import { createAccount, userCreated } from '../users/create-account.ts'
import { formerAddresses } from '../users/former-address.ts'
import { isStillInvited } from '../access/invitation.ts'
import { changedMeanwhile, userUpdated } from '../accounts/user-updated.ts'
import { emailHash, emails, type User, users } from '../accounts/user.ts'
import { mustSpeakFor } from './admission.ts'
import type { SsoConfiguration } from './configuration.ts'
import type { Move, Moved } from './move-address.ts'
import { notAdmitted } from './refusal.ts'
import { tieWrites, tiedUserId } from './subject-tie.ts'
import type { Assurance } from './assurance.ts'

/** `former`: the deleted account that the subject is still tied to. */
export type Found = { user: Stored<User> | undefined; isTied: boolean; mayCreate: boolean; former?: string }

/** Throws 403 for a person of a domain that is not verified, or whose account is not open. Changes nothing. */
export async function findAccount(ctx: Context, sso: SsoConfiguration, { email, subject }: Assurance): Promise<Found> {
  const status = await mustSpeakFor(ctx.table, sso, email)
  const tiedTo = subject && (await userById(ctx, await tiedUserId(ctx, subject)))
  const former = tiedTo?.status === 'deleted' ? tiedTo.id : undefined
  const isTied = tiedTo !== undefined && former === undefined
  const user = isTied ? tiedTo : await userById(ctx, await idByAddress(ctx, email))
  if (user && user.status !== 'active' && user.status !== 'invited') {
    throw notAdmitted(`The account is ${user.status}. An administrator can activate it.`)
  }
  if (user?.status === 'invited' && !(await isStillInvited(ctx.table, user))) {
    throw notAdmitted('The invitation has expired. An administrator can invite the person again.')
  }
  if (!user && (former !== undefined || (await isFormer(ctx, email)))) {
    throw notAdmitted('The account of this e-mail address was deleted. An administrator can invite the person again.')
  }
  const mayCreate = sso.jit && status === 'verified'
  return { user, isTied, mayCreate, ...(former !== undefined && { former }) }
}

const userById = async ({ table, space }: Context, id: string | undefined): Promise<Stored<User> | undefined> =>
  id === undefined ? undefined : table.get(users, { tenant_id: space.tenant_id, id })

const isFormer = async ({ table, space }: Context, email: string): Promise<boolean> =>
  (await table.get(formerAddresses, { email_hash: emailHash(email), tenant_id: space.tenant_id })) !== undefined

async function idByAddress({ table, space }: Context, email: string): Promise<string | undefined> {
  const row = await table.get(emails, { email_hash: emailHash(email), tenant_id: space.tenant_id })
  return row?.state === 'complete' ? (row.user_id ?? undefined) : undefined
}

/**
 * `ctx` is inside the tenant. `move` changes the address of people who are tied by their subject. Throws 403 like
 * `findAccount`, and when a new person may not get an account.
 */
export async function accountFor(
  ctx: Context,
  sso: SsoConfiguration,
  person: Assurance,
  move?: Move,
): Promise<Stored<User>> {
  const { user, mayCreate, ...tie } = await findAccount(ctx, sso, person)
  if (user) return updateFromProvider(ctx, user, { person, move, ...tie })
  if (!mayCreate)
    throw notAdmitted('There is no account for this e-mail address. An administrator can invite the person.')
  const { default_roles: roles, tenant_id } = sso
  const { email, name = nameFrom(email), subject } = person
  return createAccount(ctx, {
    email,
    name,
    roles,
    source: 'sso',
    status: 'active',
    email_verified: true,
    also: async ({ id }) => ({
      writes: [...givenRoles(tenant_id, roles), ...(subject ? await tieWrites(ctx, id, subject) : [])],
    }),
  })
}

const nameFrom = (email: string) => email.slice(0, email.lastIndexOf('@')).slice(0, 120)

type Update = Pick<Found, 'isTied' | 'former'> & { person: Assurance; move: Move | undefined }

/** Updates the fields that differ. A first sign-in also accepts an invitation and ties the subject. */
async function updateFromProvider(
  ctx: Context,
  was: Stored<User>,
  { person, isTied, former, move }: Update,
): Promise<Stored<User>> {
  const by = actingAs(ctx, was)
  const { next, writes, mails } = await profileOf(by, was, person, move)
  const ties = person.subject && !isTied ? await tieWrites(by, was.id, person.subject, former) : []
  const fields = (['name', 'email', 'email_verified', 'status'] as const).filter((field) => next[field] !== was[field])
  if (fields.length === 0 && ties.length === 0) return was
  const change =
    was.status === 'invited' ? joined(next) : updated(next, was, ties.length > 0 ? [...fields, 'sso_link'] : fields)
  const { _v, ...stored } = next
  await by.table.commit([
    users.replace(stored, was, changedMeanwhile()),
    ...writes,
    ...ties,
    ...changed(by, [change], { mails }),
  ])
  return { ...stored, _v: was._v + 1 }
}

/** The provider is responsible for address and name, so the address counts as verified. */
async function profileOf(ctx: Context, was: Stored<User>, { email, name }: Assurance, move?: Move): Promise<Moved> {
  const named = {
    ...was,
    name: name ?? was.name,
    status: 'active' as const,
    invitation: undefined,
    email_verified: true,
  }
  const isSame = was.email !== null && emailHash(was.email) === emailHash(email)
  const isAsBefore = named.name === was.name && was.status === 'active' && was.email_verified
  if (isSame && isAsBefore) return { next: was, writes: [], mails: [] }
  const next = { ...named, updated_at: iso(ctx.now()) }
  return isSame || !move ? { next, writes: [], mails: [] } : move(ctx, { was, next, email })
}

const joined = (user: User): Change => ({
  action: 'user.created',
  artifact: 'identity.user.created',
  subject: { type: 'user', id: user.id, name: user.name },
  data: { roles: user.roles, source: user.source },
  events: [userCreated(user)],
})

const updated = (user: User, was: Stored<User>, fields: string[]): Change => ({
  action: 'user.updated',
  artifact: 'identity.user.updated',
  subject: { type: 'user', id: user.id, name: user.name },
  data: { changed_fields: fields },
  changes: fields.map((path) => ({ path, before: '***', after: '***' })),
  events: [userUpdated(user, was._v + 1, fields, 'sso')],
})
