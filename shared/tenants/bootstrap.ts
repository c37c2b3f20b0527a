// The first tenant of a deployment, or one more: two people, so that what one asks for the other can approve, and keys
// for both modes. Everything in one transaction, with its evidence.
import { newApiKey } from '../access/create-key.ts'
import { apiKeys } from '../access/api-key.ts'
import { permissionsOfRoles, type RoleName, type Scope, SCOPES } from '../access/permissions.ts'
import { currentRuntime, systemContext } from '../context.ts'
import type { EventDraft } from '../events/event.ts'
import { newArtifacts } from '../evidence/artifact.ts'
import { genesisWrites } from '../evidence/genesis.ts'
import { recorded } from '../evidence/record.ts'
import { iso } from '../lib/clock.ts'
import { ulid } from '../lib/ids.ts'
import { NOTHING_YET, type User, users } from '../users/user.ts'
import { type Plan, Tenant, tenants } from './tenant.ts'

export type NewTenant = { name: string; plan: Plan; owner_email: string; approver_email: string }

export type TenantCredentials = {
  tenant_id: string
  owner: { id: string; email: string }
  approver: { id: string; email: string }
  /** Everything a key can do, made by the owner. */
  live_key: string
  test_key: string
  /** Reads and decides, made by the approver: what `live_key` asks for can be approved with it. */
  approver_key: string
}

const DECIDING: readonly Scope[] = ['governance:read', 'governance:write']

export async function bootstrapTenant(input: NewTenant): Promise<TenantCredentials> {
  const { clock, random } = currentRuntime()
  const tenant_id = `ten_${ulid(clock.now(), random)}`
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const now = ctx.now()
  const created_at = iso(now)
  const person = (email: string, name: string, roles: RoleName[]): User => ({
    ...NOTHING_YET,
    id: ctx.id('usr'),
    tenant_id,
    username: ulid(now, random),
    email,
    email_verified: true,
    name,
    roles,
    status: 'active',
    source: 'register',
    created_at,
    updated_at: created_at,
  })
  const owner = person(input.owner_email, 'Owner', ['owner'])
  const approver = person(input.approver_email, 'Approver', ['approver'])
  const makeKey = (name: string, kind: 'live' | 'test', by: User, scopes: readonly Scope[]) =>
    newApiKey(ctx, { name, kind, scopes, created_by: by.id, cap: [...permissionsOfRoles(by.roles)] })
  const keys = await Promise.all([
    makeKey('First live key', 'live', owner, SCOPES),
    makeKey('First sandbox key', 'test', owner, SCOPES),
    makeKey('Approving key', 'live', approver, DECIDING),
  ])
  const [live, test, approving] = keys
  const tenant = Tenant.parse({ id: tenant_id, name: input.name, plan: input.plan, status: 'active', created_at })
  const [founded, ...others] = newArtifacts(
    ctx,
    { type: 'identity.tenant.created', subject: { type: 'tenant', id: tenant_id } },
    ...[owner, approver].map(({ id }) => ({
      type: 'identity.user.created' as const,
      subject: { type: 'user', id },
    })),
    ...keys.map(({ item }) => ({
      type: 'identity.api_key.created' as const,
      subject: { type: 'api_key', id: item.id },
      data: { kind: item.kind, scopes: item.scopes },
    })),
  )
  const events = [[userCreated(owner)], [userCreated(approver)]]
  await ctx.table.commit([
    tenants.insert(tenant),
    ...(await genesisWrites(tenant_id, now)),
    users.insert(owner),
    users.insert(approver),
    ...keys.map(({ item }) => apiKeys.insert(item)),
    ...recorded(ctx, [
      { artifact: founded },
      ...others.map((artifact, index) => ({ artifact, events: events[index] ?? [] })),
    ]),
  ])
  return {
    tenant_id,
    owner: { id: owner.id, email: input.owner_email },
    approver: { id: approver.id, email: input.approver_email },
    live_key: live.secret,
    test_key: test.secret,
    approver_key: approving.secret,
  }
}

const userCreated = ({ id, email, roles, source }: User): EventDraft => ({
  type: 'user.created',
  subject: { id, version: 1 },
  data: { user_id: id, email, roles, source: source === 'register' ? 'register' : 'invite' },
})
