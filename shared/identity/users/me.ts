import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { FactorView, factorsOf } from '../mfa/factor.ts'
import { type Session, sessions } from '../sessions/session.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { Tenant } from '../../base/tenant/tenant.ts'
import { ProofDue } from '../accounts/proof.ts'
import type { User } from '../accounts/user.ts'

export const Me = z.object({
  id: z.string(),
  email: z.string().nullable(),
  email_verified: z.boolean(),
  name: z.string(),
  tenant: Tenant.pick({ id: true, name: true, plan: true }),
  proof_due: ProofDue.nullable(),
  roles: z.array(z.string()),
  permissions: z.array(z.string()),
  mfa: z.object({ enrolled: z.boolean(), factors: z.array(FactorView) }),
  /** null: the credential is not a session. */
  session: z
    .object({ id: z.string(), created_at: z.string(), expires_at: z.string(), amr: z.array(z.string()) })
    .nullable(),
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
  const { id, email, email_verified, name, proof_due = null } = user
  return {
    id,
    email,
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
