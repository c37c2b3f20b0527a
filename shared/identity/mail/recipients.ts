// Decides who gets a mail, when it is sent: people who have left, or have verified their address meanwhile, get none.
import type { Table } from '../../base/table/table.ts'
import { allRoles, type User, users, usersPartition } from '../accounts/user.ts'
import { claimsOn } from '../accounts/find.ts'
import type { Mail, MailKind } from '../../ledger/events/mail.ts'

/** `user` is missing when the address no longer belongs to an account. */
export type Recipient = { tenant_id: string; address: string; kind: MailKind; user?: User }

/** Most accounts of one address that get a mail each. */
const ACCOUNTS_MAX = 5
/** Most accounts of one address that are read to find those. */
const READ_MAX = 25

export async function recipientsOf(table: Table, { kind, tenant_id, to }: Mail): Promise<Recipient[]> {
  if ('email' in to) {
    if (kind === 'password_reset' || kind === 'verify_email') {
      return recipientsAmong(kind, await accountsOf(table, to.email, to.tenant_id))
    }
    return tenant_id === undefined ? [] : [{ tenant_id, address: to.email, kind }]
  }
  if (tenant_id === undefined) return []
  if ('user_id' in to) {
    const user = await table.get(users, { tenant_id, id: to.user_id })
    return user ? asRecipient(user, kind) : []
  }
  const all = await table.query(users, { pk: usersPartition(tenant_id), index: 'gsi1' })
  const { user_ids = [] } = to
  const wanted = all.filter(
    (user) => user_ids.includes(user.id) || allRoles(user).some((role) => to.roles.includes(role)),
  )
  // Unverified addresses get no mail, because somebody may have registered with another person's address.
  return wanted.filter(({ email_verified }) => email_verified).flatMap((user) => asRecipient(user, kind))
}

/** Accounts that can sign in come before invitations, because anybody may invite an address many times. */
function recipientsAmong(kind: MailKind, accounts: readonly User[]): Recipient[] {
  const all = accounts.flatMap((user) => asRecipient(user, kind))
  const { true: sameKind = [], false: others = [] } = Object.groupBy(all, (one) => `${one.kind === kind}`)
  return [...sameKind, ...others].slice(0, ACCOUNTS_MAX)
}

async function accountsOf(table: Table, email: string, tenant_id: string | undefined): Promise<User[]> {
  const claims = (await claimsOn(table, email, tenant_id)).slice(0, READ_MAX)
  return table.getAll(
    users,
    claims.map(({ tenant_id: of, user_id }) => ({ tenant_id: of, id: user_id })),
  )
}

/** A password reset for an account that was never opened sends the invitation again. */
function asRecipient(user: User, requested: MailKind): Recipient[] {
  const { tenant_id, email: address, status, email_verified, proof_due, invitation } = user
  const kind = requested === 'password_reset' && status === 'invited' ? 'invitation' : requested
  const wanted =
    status === (kind === 'invitation' ? 'invited' : 'active') &&
    !(kind === 'invitation' && invitation?.ended_at) &&
    !(kind === 'verify_email' && email_verified && proof_due !== 'address')
  return wanted && address !== null ? [{ tenant_id, address, kind, user }] : []
}
