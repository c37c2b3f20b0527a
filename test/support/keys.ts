// API keys that a test makes without the API: of any scope and cap, expired or revoked.
import { type ApiKey, apiKeys, digestOf, keyInserts } from '../../shared/identity/access/api-key.ts'
import { newApiKey } from '../../shared/identity/access/create-key.ts'
import { deploymentSecret } from '../../shared/base/aws/deployment-secret.ts'
import { permissionsOfRoles, SCOPES } from '../../shared/base/catalog/permissions.ts'
import { systemContext } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import { ConditionFailed } from '../../shared/base/table/table.ts'
import { users } from '../../shared/identity/accounts/user.ts'
import { accountIn } from './person.ts'

/** Well-formed, and stored nowhere. */
export const UNKNOWN_KEY = 'ak_live_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345640lJE3'

type Owner = { tenant_id: string; owner: { id: string } }

/** A key of the tenant's owner with every scope, unless told otherwise. Another maker that nobody has made is an owner, too. */
export async function makeKey(tenant: Owner, over: Partial<ApiKey> = {}): Promise<string> {
  const ctx = systemContext({ tenant_id: tenant.tenant_id, mode: 'live' })
  const { kind = 'live', scopes = SCOPES, created_by = tenant.owner.id } = over
  const cap = [...permissionsOfRoles(['owner'])]
  await makerIn(tenant.tenant_id, created_by)
  const { secret, item } = await newApiKey(ctx, { name: 'test', kind, scopes, created_by, cap })
  await ctx.table.commit(keyInserts({ ...item, ...over }))
  return secret
}

async function makerIn(tenant_id: string, id: string): Promise<void> {
  const space = { tenant_id, mode: 'live' as const }
  if (await systemContext(space).table.get(users, { tenant_id, id })) return
  const unreachable = { id, email: null }
  await accountIn(space, ['owner'], unreachable).catch((error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error // made by another call at the same moment
  })
}

/** Ends a key as revoking it would. */
export async function revoke(key: string): Promise<void> {
  const ctx = systemContext({ tenant_id: 'any', mode: 'live' })
  const { pepper } = await deploymentSecret()
  await ctx.table.update(apiKeys.key({ digest: digestOf(pepper.value, key) }), { set: { revoked_at: iso(ctx.now()) } })
}
