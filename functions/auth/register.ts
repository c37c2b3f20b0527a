import '../first-proof.ts'
import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { displayName, optional } from '../../shared/base/wire/fields.ts'
import { tenantOf } from '../../shared/base/tenant/find.ts'
import { Tenant } from '../../shared/base/tenant/tenant.ts'
import { Email, Password } from '../../shared/identity/accounts/password.ts'
import { join } from '../../shared/identity/users/set-password.ts'
import { register } from '../../shared/identity/tenants/register.ts'
import { UserView, userView } from '../../shared/identity/users/view.ts'
import { auth } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    email: Email,
    password: Password.describe('The password.'),
    name: optional(displayName(120)).describe('A name for people.'),
    /** Of a new tenant; by default the domain of the address. */
    tenant_name: optional(displayName(120)).describe('Name of the new tenant.'),
    invitation_token: optional(z.string().max(128)).describe('The token of the invitation mail.'),
  }),
  response: z.object({
    user: UserView.describe('The person.'),
    tenant: Tenant.pick({ id: true, name: true, plan: true }).describe('The tenant.'),
    /** Whether a mail was sent, or an invitation has verified the address already. */
    verification: z.enum(['sent', 'verified']).describe('Whether a mail was sent to confirm the address.'),
  }),
}

export const handler = endpoint(auth.register, shapes, async ({ body, ctx }) => {
  const { invitation_token: token, tenant_name, ...person } = body
  if (token === undefined) {
    const { user, tenant } = await register(ctx, { ...person, tenant_name })
    return { user: userView(user), tenant, verification: 'sent' as const }
  }
  const user = await join(ctx, { ...person, token })
  return { user: userView(user), tenant: await tenantOf(ctx.table, user.tenant_id), verification: 'verified' as const }
})
