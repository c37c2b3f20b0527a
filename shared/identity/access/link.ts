// One-time links in mails. Only a hash of the token is stored. Using a link raises the account's epoch for its purpose, which
// makes all other links of that purpose invalid.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import { bound } from '../../base/table/bound.ts'
import { key, type Stored, type Write } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { allRoles, type User, users } from '../accounts/user.ts'
import { hashOf, newSecret } from './one-time.ts'
import { mayAct, permissionsNow, personNow } from './permissions.ts'

export const LINK_PURPOSES = ['verify_email', 'password_reset', 'invitation'] as const
export type LinkPurpose = (typeof LINK_PURPOSES)[number]

export const Link = z.object({
  hash: z.string(),
  purpose: z.enum(LINK_PURPOSES),
  tenant_id: z.string(),
  user_id: z.string(),
  /** The address it was sent to. */
  email: z.string(),
  epoch: z.int(),
  /** The path of the page that the person was signing in on. */
  back: z.string().optional(),
  /** Both in ms. */
  expires_at: z.int(),
  used_at: z.int().optional(),
})
export type Link = z.output<typeof Link>

export const links = bound({
  name: 'LINK',
  schema: Link,
  key: ({ hash }: { hash: string }) => ({ pk: key('LINK', hash), sk: 'LINK' }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
  free: ['used_at'],
})

/** The same text for a link that is unknown, used or expired. */
export const invalidToken = () =>
  new Failure('unauthenticated', 'This link or token is invalid or has expired. Start again to get a new one.')

export const epochOf = ({ epochs }: Pick<User, 'epochs'>, purpose: LinkPurpose): number => epochs[purpose] ?? 0

export type NewLink = Omit<Link, 'hash' | 'expires_at' | 'used_at'> & { life_ms: number }

/** Stores a link and returns its token, which is stored nowhere. */
export async function createLink(ctx: Context, { life_ms, ...of }: NewLink): Promise<string> {
  const token = newSecret(ctx.random)
  await ctx.table.commit([links.insert({ ...of, hash: hashOf(token), expires_at: ctx.now() + life_ms })])
  return token
}

/** A valid link and its account. */
export type OpenLink = { link: Stored<Link>; user: Stored<User> }

/** Throws 401 for anything but a valid link of one of the purposes. Reading does not use it up. */
export async function readLink(table: Table, token: string, ...purposes: readonly LinkPurpose[]): Promise<OpenLink> {
  const link = await table.get(links, { hash: hashOf(token) })
  if (!link || link.used_at !== undefined || link.expires_at <= table.clock.now()) throw invalidToken()
  if (!purposes.includes(link.purpose)) throw invalidToken()
  const user = await table.get(users, { tenant_id: link.tenant_id, id: link.user_id })
  if (!user || epochOf(user, link.purpose) !== link.epoch) throw invalidToken()
  if (link.purpose === 'invitation' && !(await isStillInvited(table, user))) throw invalidToken()
  return { link, user }
}

/** The write that uses a link up, and the epochs that its account must be stored with in the same transaction. */
export function useLink({ link, user }: OpenLink, now: number): { write: Write; epochs: User['epochs'] } {
  const unused = { expression: 'attribute_exists(pk) AND attribute_not_exists(#used_at)' }
  return {
    write: links.update(link, { set: { used_at: now }, condition: unused }, invalidToken()),
    epochs: { ...user.epochs, [link.purpose]: link.epoch + 1 },
  }
}

/**
 * Whether the inviter may still give the roles of the invitation; checked again when the invitation is accepted. True for an
 * account without an inviter: the operator or the person created it.
 */
export async function isStillInvited(table: Table, user: User): Promise<boolean> {
  const { invitation, tenant_id } = user
  if (invitation === undefined) return true
  const inviter = invitation.ended_at === undefined && (await personNow(table, { tenant_id, id: invitation.by }))
  if (!inviter || !mayAct(inviter.user) || !inviter.permissions.has('users:write')) return false
  if (user.roles.includes('owner') && !allRoles(inviter.user).includes('owner')) return false
  const given = await permissionsNow(table, {
    ...user,
    group_roles: [],
    sso_roles: [],
    denies: [],
    proof_due: undefined,
  })
  return [...given].every((one) => one === 'self' || inviter.permissions.has(one))
}
