// Finds accounts, by id, by address or as the caller, and makes the context of a person who has just been identified.
import { type Context, createContext, type Principal, SYSTEM } from '../../base/context.ts'
import { conflict, notFound, personRequired } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { allRoles, emailHash, emailPartition, type EmailReservation, emails, type User, users } from './user.ts'
import type { EventDraft } from '../../ledger/events/event.ts'

/** Finds deleted accounts, too. Throws the same 404 for a missing account and another tenant's. */
export async function findAnyUser({ table, space }: Context, id: string): Promise<Stored<User>> {
  const found = await table.get(users, { tenant_id: space.tenant_id, id })
  if (!found) throw notFound('user')
  return found
}

/** Throws 404 for a deleted account, too. */
export async function findUser(ctx: Context, id: string): Promise<Stored<User>> {
  const found = await findAnyUser(ctx, id)
  if (found.status === 'deleted') throw notFound('user')
  return found
}

/** The account that holds an address of the tenant. Undefined, too, while the account is being created. */
export async function findUserByEmail({ table, space }: Context, email: string): Promise<Stored<User> | undefined> {
  const { tenant_id } = space
  const reservation = await table.get(emails, { email_hash: emailHash(email), tenant_id })
  return reservation?.user_id ? table.get(users, { tenant_id, id: reservation.user_id }) : undefined
}

type Claim = EmailReservation & { user_id: string }

/**
 * The accounts that claim an address, of one tenant or of all. Proven claims come first, then that of who registered, then those that
 * others made: so nobody is kept out by the accounts that strangers make for their address. In each group the last used comes
 * first, then the newest.
 */
export async function claimsOn(table: Table, email: string, tenant_id?: string): Promise<Claim[]> {
  const rows = await table.query(emails, { pk: emailPartition(emailHash(email)) })
  return rows
    .flatMap(({ user_id, ...row }) => (row.state === 'complete' && user_id !== null ? [{ ...row, user_id }] : []))
    .filter((row) => tenant_id === undefined || row.tenant_id === tenant_id)
    .toSorted((a, b) => rankOf(a) - rankOf(b) || lastUse(b).localeCompare(lastUse(a)))
}

const RANKS = { proven: 0, registered: 1 }
const rankOf = ({ claim }: Claim) => (claim === undefined ? 2 : RANKS[claim])
const lastUse = ({ last_sign_in_at, created_at }: Claim) => `${last_sign_in_at ?? ''} ${created_at}`

/** The account of the caller. Throws 403 when the caller is not a person. */
export async function ownUser({ table, space, principal }: Context): Promise<Stored<User>> {
  const { user_id } = principal
  const user = user_id === undefined ? undefined : await table.get(users, { tenant_id: space.tenant_id, id: user_id })
  if (!user) throw personRequired()
  return user
}

/** The context of the request inside a tenant, before its person is identified. */
export const inTenant = (ctx: Context, tenant_id: string): Context =>
  createContext({ ...ctx, space: { tenant_id, mode: 'live' }, principal: SYSTEM })

/**
 * The context of the request as made by a person whom a password, a link or an identity provider has just identified. It is
 * in that person's tenant and holds no permission.
 */
export const actingAs = (ctx: Context, user: User): Context => {
  const { id, tenant_id, email, email_verified } = user
  const principal: Principal = {
    ...SYSTEM,
    kind: 'user',
    id,
    credential: 'session',
    user_id: id,
    persons: [id],
    roles: allRoles(user),
    ...(email !== null && { email }),
    email_verified,
  }
  return createContext({ ...ctx, space: { tenant_id, mode: 'live' }, principal })
}

/** `version`: the version of the account after the change. */
export const userUpdated = (user: User, version: number, changed_fields: string[], source: string): EventDraft => ({
  type: 'user.updated',
  subject: { id: user.id, version },
  data: { user_id: user.id, changed_fields, roles: allRoles(user), source },
})

export const changedMeanwhile = () => conflict('The account was changed by another request. Try again.')
