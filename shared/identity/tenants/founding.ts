// Founds tenants: what every founding stores, and the founding of a further tenant by somebody who has one.
import type { Change } from '../../ledger/audit/changed.ts'
import { type Context, createContext } from '../../base/context.ts'
import { genesisWrites } from '../../ledger/evidence/checkpoint/signing-key.ts'
import { iso } from '../../base/lib/clock.ts'
import { countFromHere } from '../accounts/head-count.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { MODES } from '../../base/table/members.ts'
import {
  type AgreedQuotas,
  firstPointers,
  type FirstSet,
  Tenant,
  tenants,
  type TenantSettings,
} from '../../base/tenant/tenant.ts'
import type { Plan } from '../../base/limits/plans.ts'
import { personRequired } from '../../base/lib/failure.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { createAccount } from '../users/create-account.ts'
import type { User } from '../accounts/user.ts'

/** What an operator sets at the founding: settings of the tenant, which govern it, too. */
export type SetAtFounding = { settings: Pick<TenantSettings, 'require_human_approver'>; governing: FirstSet }

/** `quotas`: only with a plan that is granted. */
export type NewFounding = {
  id: string
  name: string
  plan: Plan
  quotas?: AgreedQuotas | undefined
  set?: SetAtFounding | undefined
}
export type Founding = { tenant: Tenant; writes: Write[]; change: Change }

/**
 * A new tenant with the genesis of its two chains, for the transaction that also creates its first account. It has no policies but
 * those of `set`.
 */
export async function foundingOf(ctx: Context, { set, ...of }: NewFounding): Promise<Founding> {
  const artifact_id = ctx.id('art')
  const tenant = Tenant.parse({
    ...of,
    plan_granted: of.plan,
    plan_artifact_id: of.plan === 'free' ? undefined : artifact_id,
    settings: set?.settings,
    status: 'active',
    created_at: iso(ctx.now()),
  })
  return {
    tenant,
    writes: [
      tenants.insert(tenant),
      ...firstPointers(tenant.id, set && { ...set.governing, set_artifact_id: artifact_id }),
      countFromHere(tenant.id),
      ...(await genesisWrites(tenant.id, ctx.now())),
    ],
    change: {
      action: 'tenant.created',
      artifact: 'identity.tenant.created',
      artifact_id,
      subject: { type: 'tenant', id: tenant.id, name: tenant.name },
      data: {
        plan: tenant.plan,
        ...(tenant.quotas && { quotas: tenant.quotas }),
        ...(set && { policy_sets: setsOf(set) }),
      },
    },
  }
}

const setsOf = ({ governing }: SetAtFounding) =>
  Object.fromEntries(MODES.map((mode) => [mode, { version: governing.policy_set_version, number: 1 }]))

/**
 * Creates another tenant on the free plan. The caller's own address, and no other, gets an account in it as owner, by invitation.
 * Throws 403 for a caller who is not a person.
 */
export async function foundAnother(
  ctx: Context,
  { name }: { name: string },
): Promise<{ tenant: Stored<Tenant>; owner: Stored<User> }> {
  const { email } = ctx.principal
  if (email === undefined) throw personRequired()
  const inside = createContext({ ...ctx, space: { tenant_id: ctx.id('ten'), mode: 'live' } })
  const { tenant, writes, change } = await foundingOf(inside, { id: inside.space.tenant_id, name, plan: 'free' })
  const owner = await createAccount(inside, {
    email,
    name: '',
    roles: ['owner'],
    source: 'invite',
    status: 'invited',
    also: ({ id }) => ({
      writes,
      changes: [change],
      mails: [newMail(inside, 'invitation', { user_id: id }, { tenant: name })],
    }),
  })
  return { tenant: { ...tenant, _v: 1 }, owner }
}
