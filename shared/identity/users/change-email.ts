// Gives an account another address. Every verb that moves an address commits what `emailChange` returns. The addresses of
// deleted accounts are remembered here, too.
import { epochOf, LINK_PURPOSES } from '../access/link.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'
import { entity, key, type Stored, type Write } from '../../base/table/entity.ts'
import { isOfVerifiedDomain } from '../domains/domain.ts'
import { emailTaken } from './create-account.ts'
import { invitationFacts } from './invite.ts'
import { raisedBy } from '../access/raised.ts'
import { setPoolEmail } from '../accounts/pool.ts'
import { changedMeanwhile } from '../accounts/find.ts'
import { emailHash, emails, isProven, type User, verifiedAs, type Voucher } from '../accounts/user.ts'
import * as z from 'zod'

/**
 * Moves the address in the user pool, and returns what the caller commits with it: account, reservations, mails. The new address
 * must be verified, unless `by` vouches for it, or a directory manages the account and the tenant has verified the domain. Links
 * sent to the former address become invalid. Both addresses get a mail. The commit fails with 409 when another account of the
 * tenant has the address.
 */
export async function emailChange(ctx: Context, was: Stored<User>, named: User, email: string, by?: Voucher) {
  const { id, tenant_id, username, last_login_at, status } = was
  const verified = verifiedAs(by ?? (await voucherIn(ctx, was, email)))
  const writes: Write[] = []
  const former = was.email === null ? undefined : emailHash(was.email)
  const email_hash = emailHash(email)
  if (email_hash !== former) {
    const times = { last_sign_in_at: last_login_at, created_at: iso(ctx.now()) }
    const reservation = { email_hash, tenant_id, username, user_id: id, state: 'complete' as const, ...times }
    const claim = verified.email_verified ? ('proven' as const) : undefined
    writes.push(emails.insert({ ...reservation, claim }, emailTaken()))
    if (former !== undefined) writes.push(releaseAddress(former, was))
  }
  await setPoolEmail(username, email)
  const raised = await raisedBy(ctx, was)
  const next: User = { ...named, email, ...verified, epochs: withoutLinks(was), raised }
  const proof = status === 'invited' ? 'invitation' : 'verify_email'
  const facts = proof === 'invitation' ? await invitationFacts(ctx) : {}
  const mails: Mail[] = [
    ...(verified.email_verified && named.proof_due !== 'address' ? [] : [newMail(ctx, proof, { user_id: id }, facts)]),
    ...(was.email === null ? [] : [newMail(ctx, 'email_changed', { email: was.email, tenant_id })]),
    ...(status === 'invited' ? [] : [newMail(ctx, 'email_changed', { user_id: id })]),
  ]
  return { next, writes, mails }
}

/** A directory that moves a proven person among its own domains says nothing new about who they are. */
async function voucherIn({ table }: Context, was: User, email: string): Promise<Voucher | undefined> {
  const managed = was.source === 'sso' || was.source === 'scim'
  if (!managed || !(await isOfVerifiedDomain(table, was.tenant_id, email))) return undefined
  return isProven(was) ? (was.verified_by ?? 'person') : 'directory'
}

/** Epochs that make all links sent so far invalid. */
export const withoutLinks = (user: User): User['epochs'] =>
  Object.fromEntries(LINK_PURPOSES.map((purpose) => [purpose, epochOf(user, purpose) + 1]))

/** Releases the address if it still belongs to this account. */
export const releaseAddress = (email_hash: string, { id, tenant_id }: Pick<User, 'id' | 'tenant_id'>): Write =>
  emails.remove(
    { email_hash, tenant_id },
    { expression: '#user_id = :id', names: { '#user_id': 'user_id' }, values: { ':id': id } },
    changedMeanwhile(),
  )

/**
 * Hashes of the addresses of deleted accounts: a sign-in through an identity provider must not recreate an account that the tenant
 * has removed.
 */
export const formerAddresses = entity({
  name: 'FORMER',
  unbound: 'bounded',
  schema: z.object({ tenant_id: z.string(), email_hash: z.string() }),
  key: (of: { tenant_id: string; email_hash: string }) => ({
    pk: key('T', of.tenant_id, 'live', 'FORMER'),
    sk: of.email_hash,
  }),
})

/** Remembers the address. Repeating it changes nothing. */
export const addressLeft = (of: { tenant_id: string; email_hash: string }): Write =>
  formerAddresses.update(of, { set: { ...of, _type: formerAddresses.name } })
