import { type Context, createContext } from '../../base/context.ts'
import { personRequired } from '../../base/lib/failure.ts'
import { newMail } from '../../ledger/events/mail.ts'
import type { Stored } from '../../base/table/entity.ts'
import { createAccount } from '../users/create-account.ts'
import type { User } from '../accounts/user.ts'
import { foundingOf } from './founding.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'

/** Creates another tenant. The caller's address gets an account in it as owner, by invitation. */
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
