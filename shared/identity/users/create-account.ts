// Creates accounts. The table and the user pool share no transaction. So a reservation of the address comes first and names
// the pool's user: a retry after a crash finishes the same account instead of creating a second one.
import type { Context } from '../../base/context.ts'
import { type Change, changed } from '../../ledger/audit/changed.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict } from '../../base/lib/failure.ts'
import { ulid } from '../../base/lib/ids.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { roomForOne } from '../../base/tenant/retention.ts'
import { ConditionFailed } from '../../base/table/table.ts'
import { actingAs } from '../accounts/find.ts'
import { headCountWrite } from '../accounts/head-count.ts'
import {
  allRoles,
  emailHash,
  type EmailReservation,
  emails,
  NEW_USER,
  subs,
  type User,
  users,
  usersPartition,
  verifiedAs,
} from '../accounts/user.ts'
import { createPoolUser, setPoolPassword, unguessable } from '../accounts/pool.ts'
import type { EventDraft } from '../../ledger/events/event.ts'

/** A reservation older than this is abandoned: a retry may take it over. */
const ABANDONED_AFTER_MS = 600_000

/** Stored in the same transaction as the account. `changes` come before the account's own change in the chain. */
export type Also = { writes?: readonly Write[]; changes?: readonly Change[]; mails?: readonly Mail[] }

export type NewAccount = Pick<User, 'email' | 'name' | 'roles' | 'source' | 'verified_by' | 'invitation'> & {
  sso_roles?: User['sso_roles']
  raised?: User['raised']
  proof_due?: User['proof_due']
  status: 'active' | 'invited' | 'suspended'
  /** Already checked by `goodPassword`. Without one nobody can sign in by password until it is set. */
  password?: string | undefined
  /** Default: the tenant of the context. */
  tenant_id?: string
  also?: (user: User) => Also | Promise<Also>
}

export const emailTaken = () =>
  conflict('An account with this e-mail address already exists. Use that account or another address.')

/**
 * Creates an account in the pool and in the table, with the evidence of it and what `also` adds. Throws 409 when the tenant has an
 * account with this address, or one is being made, and 403 when its plan has no room for it. After a failure the next attempt
 * begins at once; after a crash, when the reservation is ten minutes old.
 */
export async function createAccount(ctx: Context, input: NewAccount): Promise<Stored<User>> {
  const tenant_id = input.tenant_id ?? ctx.space.tenant_id
  const reservation = input.email === null ? undefined : await reserve(ctx, input.email, tenant_id)
  const username = reservation?.username ?? ulid(ctx.now(), ctx.random)
  try {
    const id = await createPoolUser({ username, tenant_id, email: input.email })
    // Every pool user gets a password, because the pool lets only users with a password sign in by ticket.
    await setPoolPassword(username, input.password ?? unguessable(ctx.random))
    const user = newUser(ctx, input, { id, tenant_id, username })
    const writes = await accountWrites(ctx, user, input, reservation)
    await retryWhenChanged(async () => ctx.table.commit([...(await roomFor(ctx, user)), ...writes], id))
    return { ...user, _v: 1 }
  } catch (error) {
    if (reservation) await release(ctx, reservation)
    throw error
  }
}

/** The limit of the plan on people. It applies to invitations and directories; a founder and a sign-in are never refused for it. */
function roomFor(ctx: Context, { tenant_id, source }: User): Promise<Write[]> | Write[] {
  if (source !== 'invite' && source !== 'scim') return []
  const within = { ...ctx, space: { tenant_id, mode: 'live' as const } }
  const count = async () => (await ctx.table.count({ pk: usersPartition(tenant_id), index: 'gsi1' })).total
  return roomForOne(within, { quota: 'users', count, busy: new ChangedMeanwhile() })
}

/** Reserves the address, or takes over an abandoned reservation together with the pool's user that it names. */
async function reserve(ctx: Context, email: string, tenant_id: string): Promise<Stored<EmailReservation>> {
  const at = { email_hash: emailHash(email), tenant_id }
  const fresh: EmailReservation = {
    ...at,
    username: ulid(ctx.now(), ctx.random),
    user_id: null,
    state: 'creating',
    last_sign_in_at: null,
    created_at: iso(ctx.now()),
  }
  try {
    await ctx.table.commit([emails.insert(fresh)])
    return { ...fresh, _v: 1 }
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
  const found = await ctx.table.get(emails, at)
  if (!found || found.state === 'complete' || !isAbandoned(found, ctx.now())) throw emailTaken()
  const mine = { ...found, created_at: iso(ctx.now()) }
  await ctx.table.commit([emails.replace(mine, found, emailTaken())])
  return { ...mine, _v: found._v + 1 }
}

export const isAbandoned = ({ created_at }: { created_at: string }, now: number): boolean =>
  Date.parse(created_at) + ABANDONED_AFTER_MS <= now

/** Lets the next attempt begin at once. A reservation that cannot be released is taken over later. */
async function release({ table }: Context, reservation: Stored<EmailReservation>): Promise<void> {
  const free = { ...reservation, created_at: iso(0) }
  await table.commit([emails.replace(free, reservation)]).catch(() => undefined)
}

function newUser(ctx: Context, input: NewAccount, ids: Pick<User, 'id' | 'tenant_id' | 'username'>): User {
  const { email, name, roles, sso_roles = [], source, status, verified_by, invitation, raised, proof_due } = input
  const created_at = iso(ctx.now())
  return {
    ...NEW_USER,
    ...ids,
    email,
    ...verifiedAs(verified_by),
    name,
    roles,
    sso_roles,
    status,
    source,
    invitation,
    raised,
    proof_due,
    created_at,
    updated_at: created_at,
  }
}

async function accountWrites(
  ctx: Context,
  user: User,
  input: NewAccount,
  reservation: Stored<EmailReservation> | undefined,
): Promise<Write[]> {
  const { writes = [], changes = [], mails = [] } = (await input.also?.(user)) ?? {}
  const { id, tenant_id } = user
  // A person who registers is the actor of their own creation.
  const by = ctx.principal.kind === 'system' ? actingAs(ctx, user) : ctx
  return [
    users.insert(user),
    headCountWrite({ tenant_id, mode: 'live' }, 'users', id, 1),
    subs.insert({ id, tenant_id }),
    ...(reservation
      ? [
          emails.replace(
            { ...reservation, user_id: id, state: 'complete', claim: claimOf(user) },
            reservation,
            emailTaken(),
          ),
        ]
      : []),
    ...writes,
    ...changed(by, append(changes, creationOf(user)), { mails }),
  ]
}

function claimOf({ email_verified, source }: User): EmailReservation['claim'] {
  if (email_verified) return 'proven'
  return source === 'register' ? 'registered' : undefined
}

const append = (changes: readonly Change[], own: Change): [Change, ...Change[]] => {
  const [first, ...others] = changes
  return first ? [first, ...others, own] : [own]
}

/** An invited person counts as created when they accept the invitation. */
function creationOf(user: User): Change {
  if (user.status !== 'invited') return joined(user)
  return {
    action: 'user.invited',
    artifact: 'identity.user.invited',
    subject: { type: 'user', id: user.id, name: user.name },
    data: { roles: allRoles(user), source: user.source },
  }
}

export const userCreated = (user: User): EventDraft => ({
  type: 'user.created',
  subject: { id: user.id, version: 1 },
  data: { user_id: user.id, email: user.email ?? '', roles: allRoles(user), source: user.source },
})

/** The change that is recorded when a person has joined: by a link, or by the first sign-in at the identity provider. */
export const joined = (user: User): Change => ({
  action: 'user.created',
  artifact: 'identity.user.created',
  subject: { type: 'user', id: user.id, name: user.name },
  data: { roles: allRoles(user), source: user.source },
  events: [userCreated(user)],
})
