// Creates the first tenant of a deployment, or a further one: an owner, an approver who can decide on the owner's requests,
// and keys for both modes. The tenant is stored in the same transaction as its owner.
import { keyInserts } from '../access/api-key.ts'
import { type Made, type NewKey, newApiKey } from '../access/create-key.ts'
import { permissionsOfRoles, type RoleName, type Scope, SCOPES } from '../../base/catalog/permissions.ts'
import type { Change } from '../../ledger/audit/changed.ts'
import { type Context, currentRuntime, systemContext } from '../../base/context.ts'
import { ulid } from '../../base/lib/ids.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { type Also, createAccount } from '../users/create-account.ts'
import { goodPassword } from '../accounts/password.ts'
import type { User } from '../accounts/user.ts'
import { foundingOf, type SetAtFounding } from './founding.ts'
import type { Plan } from '../../base/limits/plans.ts'
import { type AgreedQuotas, SessionPolicy, type Tenant } from '../../base/tenant/tenant.ts'

/** A person without a password gets an invitation. */
export type NewTenant = {
  name: string
  plan: Plan
  quotas?: AgreedQuotas | undefined
  set?: SetAtFounding | undefined
  owner_email: string
  owner_password?: string | undefined
  approver_email: string
  approver_password?: string | undefined
}

export type TenantCredentials = {
  tenant_id: string
  owner: { id: string; email: string }
  approver: { id: string; email: string }
  /** Has all scopes; made by the owner. */
  live_key: string
  test_key: string
  /** Made by the approver: it can approve requests of `live_key`. */
  approver_key: string
}

const APPROVER_SCOPES: readonly Scope[] = ['governance:read', 'governance:write']

/**
 * Returns the keys, which are stored nowhere. The second person comes in a transaction of their own: after a failure between them
 * the tenant exists with its owner only. A repetition founds another tenant.
 */
export async function bootstrapTenant(input: NewTenant): Promise<TenantCredentials> {
  const { clock, random } = currentRuntime()
  const tenant_id = `ten_${ulid(clock.now(), random)}`
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const { owner_email, owner_password, approver_email, approver_password, name, plan, quotas, set } = input
  const { tenant, writes, change } = await foundingOf(ctx, { id: tenant_id, name, plan, quotas, set })
  const owner = await join(ctx, tenant, {
    person: { email: owner_email, name: 'Owner', role: 'owner', password: owner_password },
    keys: [
      { name: 'First live key', kind: 'live', scopes: SCOPES },
      { name: 'First sandbox key', kind: 'test', scopes: SCOPES },
    ],
    also: { writes, changes: [change] },
  })
  const approver = await join(ctx, tenant, {
    person: { email: approver_email, name: 'Approver', role: 'approver', password: approver_password },
    keys: [{ name: 'Approving key', kind: 'live', scopes: APPROVER_SCOPES }],
    also: {},
  })
  const [live_key = '', test_key = ''] = owner.secrets
  const [approver_key = ''] = approver.secrets
  return {
    tenant_id,
    owner: { id: owner.id, email: owner_email },
    approver: { id: approver.id, email: approver_email },
    live_key,
    test_key,
    approver_key,
  }
}

type Joining = {
  person: { email: string; name: string; role: RoleName; password: string | undefined }
  keys: readonly Pick<NewKey, 'name' | 'kind' | 'scopes'>[]
  also: Also
}

async function join(ctx: Context, tenant: Tenant, { person, keys, also }: Joining) {
  const { email, name, role, password } = person
  const { password_min_length: min_length } = SessionPolicy.parse({})
  let made: Made[] = []
  const user = await createAccount(ctx, {
    email,
    name,
    roles: [role],
    source: password === undefined ? 'invite' : 'register',
    status: password === undefined ? 'invited' : 'active',
    verified_by: 'operator',
    password: password === undefined ? undefined : goodPassword(password, { email, min_length }),
    also: async ({ id }) => {
      made = await Promise.all(keys.map((key) => keyOf(ctx, { id, role }, key)))
      return {
        writes: [...(also.writes ?? []), ...made.flatMap(({ item }) => keyInserts(item))],
        changes: [...(also.changes ?? []), ...made.map(keyMade)],
        mails: password === undefined ? [newMail(ctx, 'invitation', { user_id: id }, { tenant: tenant.name })] : [],
      }
    },
  })
  return { id: user.id, secrets: made.map(({ secret }) => secret) }
}

type Owner = { id: User['id']; role: RoleName }

const keyOf = (ctx: Context, { id, role }: Owner, key: Joining['keys'][number]) =>
  newApiKey(ctx, { ...key, created_by: id, cap: [...permissionsOfRoles([role])] })

const keyMade = ({ item }: Made): Change => ({
  action: 'api_key.created',
  artifact: 'identity.api_key.created',
  subject: { type: 'api_key', id: item.id, name: item.name },
  data: { kind: item.kind, scopes: item.scopes },
})
