// What a person sees of their own account.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { FactorView, factorsOf } from '../mfa/factor.ts'
import { type Session, sessions } from '../sessions/session.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { Tenant } from '../../base/tenant/tenant.ts'
import { ProofDue, shownAddress, type User } from '../accounts/user.ts'

export const Me = z.object({
  id: z.string().describe('The id, which never changes.'),
  email: z.string().nullable().describe('The e-mail address.'),
  email_verified: z.boolean().describe('Whether the owner confirmed the address.'),
  name: z.string().describe('A name for people.'),
  tenant: Tenant.pick({ id: true, name: true, plan: true }).describe('The tenant.'),
  proof_due: ProofDue.nullable().describe(
    'What the person has yet to prove, since a directory made the account or changed how it is opened: `address` (any mailed link), `password` (a link that sets one), `provider` (a sign-in through the identity provider). Until then they may do what a member may. null: nothing.',
  ),
  roles: z.array(z.string()).describe('Roles, by name.'),
  permissions: z.array(z.string()).describe('Permissions, as `resource:verb`.'),
  mfa: z
    .object({
      enrolled: z.boolean().describe('Whether a second factor is enrolled.'),
      factors: z.array(FactorView).describe('The enrolled factors.'),
    })
    .describe('The second factors of the person.'),
  /** null: the credential is not a session. */
  session: z
    .object({
      id: z.string().describe('Id of the session.'),
      created_at: z.string().describe('When it was created.'),
      expires_at: z.string().describe('When it expires.'),
      amr: z.array(z.string()).describe('How the person signed in (RFC 8176).'),
    })
    .nullable()
    .describe('The session of the request.'),
})

/** The caller's own account, with permissions, factors and session. */
export async function meOf(ctx: Context, user: User): Promise<z.input<typeof Me>> {
  const { table, principal, space } = ctx
  const { session_id: sid } = principal
  const [tenant, factors, session] = await Promise.all([
    tenantOf(table, space.tenant_id),
    factorsOf(table, user),
    sid === undefined ? undefined : table.get(sessions, { sid }),
  ])
  const { id, email_verified, name, proof_due = null } = user
  return {
    id,
    email: shownAddress(user),
    email_verified,
    name,
    tenant,
    proof_due,
    roles: [...principal.roles],
    permissions: [...principal.permissions],
    mfa: { enrolled: user.mfa_enrolled, factors },
    session: session ? sessionOf(session) : null,
  }
}

const sessionOf = ({ sid, created_at, abs_exp, amr }: Session) => ({
  id: sid,
  created_at: iso(created_at),
  expires_at: iso(abs_exp),
  amr,
})
