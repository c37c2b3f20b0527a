// Who gets a mail, decided when it is sent: whoever has left, or has confirmed their address meanwhile, gets none.
import type { Table } from '../../base/table/table.ts'
import {
  type EmailReservation,
  emailHash,
  emailPartition,
  emails,
  type User,
  users,
  usersPartition,
} from '../users/user.ts'
import type { Mail, MailKind } from '../../ledger/events/mail.ts'

/** `user` is missing where an address is told that no longer belongs to an account. */
export type Recipient = { tenant_id: string; address: string; kind: MailKind; user?: User }

/** An address may have accounts in so many tenants that a mail to it speaks of them. */
const ACCOUNTS_MAX = 5
/** Its accounts that are looked at to find those. */
const READ_MAX = 25

export async function recipientsOf(table: Table, { kind, tenant_id, to }: Mail): Promise<Recipient[]> {
  if ('email' in to) {
    if (kind === 'password_reset' || kind === 'verify_email') {
      return accountsReached(kind, await accountsOf(table, to.email, to.tenant_id))
    }
    return tenant_id === undefined ? [] : [{ tenant_id, address: to.email, kind }]
  }
  if (tenant_id === undefined) return []
  if ('user_id' in to) {
    const user = await table.get(users, { tenant_id, id: to.user_id })
    return user ? reached(user, kind) : []
  }
  const all = await table.query(users, { pk: usersPartition(tenant_id), index: 'gsi1' })
  const holders = all.filter(({ roles, group_roles }) =>
    [...roles, ...group_roles].some((role) => to.roles.includes(role)),
  )
  // Who founded a tenant under somebody else's address must not make us write to it.
  return holders.filter(({ email_verified }) => email_verified).flatMap((user) => reached(user, kind))
}

/** Whoever can be signed in to comes before what only waits to be accepted: anybody may invite an address, and often. */
function accountsReached(kind: MailKind, accounts: readonly User[]): Recipient[] {
  const all = accounts.flatMap((user) => reached(user, kind))
  const { true: own = [], false: others = [] } = Object.groupBy(all, (one) => `${one.kind === kind}`)
  return [...own, ...others].slice(0, ACCOUNTS_MAX)
}

/** The accounts of an address, the one used last first, then those that never were, the youngest first. */
async function accountsOf(table: Table, email: string, tenant_id: string | undefined): Promise<User[]> {
  const reservations = await table.query(emails, { pk: emailPartition(emailHash(email)) })
  const wanted = reservations
    .filter((one) => tenant_id === undefined || one.tenant_id === tenant_id)
    .toSorted((a, b) => lastUse(b).localeCompare(lastUse(a)))
    .slice(0, READ_MAX)
  return table.getAll(
    users,
    wanted.flatMap(({ tenant_id: of, user_id }) => (user_id === null ? [] : [{ tenant_id: of, id: user_id }])),
  )
}

const lastUse = ({ last_sign_in_at, created_at }: EmailReservation) => `${last_sign_in_at ?? ''} ${created_at}`

/** Whoever has forgotten the password of an account that was never opened is invited again. */
function reached(user: User, asked: MailKind): Recipient[] {
  const { tenant_id, email: address, status, email_verified, invitation } = user
  const kind = asked === 'password_reset' && status === 'invited' ? 'invitation' : asked
  const wanted =
    status === (kind === 'invitation' ? 'invited' : 'active') &&
    !(kind === 'invitation' && invitation?.ended_at) &&
    !(kind === 'verify_email' && email_verified)
  return wanted && address !== null ? [{ tenant_id, address, kind, user }] : []
}
