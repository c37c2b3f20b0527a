// Registers a person: a tenant on the free plan, with them as its owner.
import type { Context } from '../../base/context.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { entity, key, type Stored } from '../../base/table/entity.ts'
import { foundingOf } from './founding.ts'
import { SessionPolicy, type Tenant } from '../../base/tenant/tenant.ts'
import { inTenant } from '../accounts/find.ts'
import { createAccount, emailTaken, isAbandoned } from '../users/create-account.ts'
import { mustNotBeLeaked } from '../users/leaked-password.ts'
import { goodPassword } from '../accounts/password.ts'
import { emailHash, emailPartition, emails, type User } from '../accounts/user.ts'
import * as z from 'zod'
import { iso } from '../../base/lib/clock.ts'
import { writtenMailbox } from '../../base/lib/mailbox.ts'
import { ConditionFailed } from '../../base/table/table.ts'

export type Registering = {
  email: string
  password: string
  name?: string | undefined
  tenant_name?: string | undefined
}

/**
 * Creates a tenant on the free plan with the caller as its owner. The address still has to be verified. Throws 422 for a weak or
 * leaked password, 409 for an address that somebody has proven or registered with. A plan or a role cannot be asked for. Of two
 * concurrent registrations of one address one gets 409; after a crash the next attempt goes on with the same tenant.
 */
export async function register(ctx: Context, input: Registering): Promise<{ user: Stored<User>; tenant: Tenant }> {
  const { email, name = '', tenant_name = domainOf(writtenMailbox(email)) } = input
  const { password_min_length: min_length } = SessionPolicy.parse({})
  const password = goodPassword(input.password, { email, min_length })
  await mustNotBeLeaked(password)
  const claim = await claimRegistration(ctx, email)
  try {
    const inNewTenant = inTenant(ctx, claim.tenant_id)
    const founding = await foundingOf(inNewTenant, { id: claim.tenant_id, name: tenant_name, plan: 'free' })
    const user = await createAccount(inNewTenant, {
      email,
      name,
      password,
      roles: ['owner'],
      source: 'register',
      status: 'active',
      also: ({ id }) => ({
        writes: [...founding.writes, registrations.remove(claim)],
        changes: [founding.change],
        mails: [newMail(inNewTenant, 'verify_email', { user_id: id })],
      }),
    })
    return { user, tenant: founding.tenant }
  } catch (error) {
    await releaseRegistration(ctx, claim)
    throw error
  }
}

const domainOf = (email: string) => email.slice(email.lastIndexOf('@') + 1)

const KEPT_SECONDS = 7 * 86_400

const Registration = z.object({ email_hash: z.string(), tenant_id: z.string(), created_at: z.string() })
type Registration = z.output<typeof Registration>

/**
 * Registering creates a tenant, so no item of a tenant can make two registrations of one address collide. This item does, and it
 * names the tenant that an interrupted attempt began, for the next attempt.
 */
const registrations = entity({
  name: 'REGISTRATION',
  unbound: 'bounded',
  schema: Registration,
  key: ({ email_hash }: { email_hash: string }) => ({ pk: key('REGISTRATION', email_hash), sk: 'REGISTRATION' }),
  ttl: ({ created_at }) => Math.floor(Date.parse(created_at) / 1_000) + KEPT_SECONDS,
})

/**
 * Throws 409 when somebody has proven the address or registered with it, or is just registering. Accounts that others made for it,
 * and that nobody has proven, keep nobody from registering.
 */
async function claimRegistration(ctx: Context, email: string): Promise<Stored<Registration>> {
  const email_hash = emailHash(email)
  const claim = await claimOf(ctx, email_hash)
  // Read after the claim, because an account whose creation began before it may be complete by now.
  const known = await ctx.table.query(emails, { pk: emailPartition(email_hash) })
  if (!known.some(({ state, claim: has }) => state === 'complete' && has !== undefined)) return claim
  await ctx.table.commit([registrations.remove(claim)])
  throw emailTaken()
}

async function claimOf(ctx: Context, email_hash: string): Promise<Stored<Registration>> {
  const fresh = { email_hash, tenant_id: ctx.id('ten'), created_at: iso(ctx.now()) }
  try {
    await ctx.table.commit([registrations.insert(fresh)])
    return { ...fresh, _v: 1 }
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
  const found = await ctx.table.get(registrations, { email_hash })
  if (!found || !isAbandoned(found, ctx.now())) throw emailTaken()
  const mine = { ...found, created_at: fresh.created_at }
  await ctx.table.commit([registrations.replace(mine, found, emailTaken())])
  return { ...mine, _v: found._v + 1 }
}

/** Lets the next attempt begin at once. */
async function releaseRegistration({ table }: Context, claim: Stored<Registration>): Promise<void> {
  const free = { ...claim, created_at: iso(0) }
  await table.commit([registrations.replace(free, claim)]).catch(() => undefined)
}
