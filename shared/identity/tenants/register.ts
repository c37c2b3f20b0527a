import type { Context } from '../../base/context.ts'
import { newMail } from '../../ledger/events/mail.ts'
import type { Stored } from '../../base/table/entity.ts'
import { foundingOf } from './founding.ts'
import { SessionPolicy, type Tenant } from '../../base/tenant/tenant.ts'
import { inTenant } from '../accounts/find.ts'
import { createAccount } from '../users/create-account.ts'
import { mustNotBeLeaked } from '../users/leaked-password.ts'
import { goodPassword } from '../accounts/password.ts'
import { claimRegistration, registrations, releaseRegistration } from './registration.ts'
import type { User } from '../accounts/user.ts'

export type Registering = {
  email: string
  password: string
  name?: string | undefined
  tenant_name?: string | undefined
}

/** Creates a tenant on the free plan with the caller as its owner. The address still has to be verified. */
export async function register(ctx: Context, input: Registering): Promise<{ user: Stored<User>; tenant: Tenant }> {
  const { email, name = '', tenant_name = domainOf(email) } = input
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
