import * as z from 'zod'
import type { Stored } from '../../base/table/entity.ts'
import { ProofDue } from '../accounts/proof.ts'
import { Raise } from '../accounts/raise.ts'
import { type User, USER_SOURCES, USER_STATUSES } from '../accounts/user.ts'

export const UserView = z.object({
  id: z.string(),
  email: z.string().nullable(),
  email_verified: z.boolean(),
  name: z.string(),
  roles: z.array(z.string()),
  group_roles: z.array(z.string()),
  sso_roles: z.array(z.string()),
  grants: z.array(z.string()),
  denies: z.array(z.string()),
  status: z.enum(USER_STATUSES),
  source: z.enum(USER_SOURCES),
  mfa_enrolled: z.boolean(),
  /** null: nothing. Until the person has proven it, they may do at most what a member may. */
  proof_due: ProofDue.nullable(),
  locked_until: z.string().nullable(),
  last_login_at: z.string().nullable(),
  raised: z.array(Raise),
  confirmed_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  version: z.int(),
})

/** An account as the API shows it. */
export function userView(user: Stored<User>): z.input<typeof UserView> {
  const { _v: version, raised = [], confirmed_at = null, proof_due = null, ...rest } = user
  return { ...rest, raised, confirmed_at, proof_due, version }
}
