// Whether a worker can be given anything: a registration outlives the account or key that it rests on.
import type { Context } from '../../base/context.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import type { Write } from '../../base/table/entity.ts'
import { apiKeys, keyRefs, statusOf } from '../../identity/access/api-key.ts'
import { grantNow, makerOf } from '../../identity/access/permissions.ts'
import { users } from '../../identity/accounts/user.ts'
import type { Worker } from './worker.ts'

/** What holds a commit to it; undefined for a worker whose account or key is not active. */
export async function stillThere(ctx: Context, { user_id, agent }: Worker): Promise<Write[] | undefined> {
  if (user_id !== undefined) return personStays(ctx, user_id)
  return agent && keyStays(ctx, agent)
}

/** The same for any person, registered as a worker or not. */
export async function personStays({ table, space }: Context, id: string): Promise<Write[] | undefined> {
  const self = { tenant_id: space.tenant_id, id }
  const user = await table.get(users, self)
  const active = { expression: '#status = :active', names: { '#status': 'status' }, values: { ':active': 'active' } }
  return user?.status === 'active' ? [users.check(self, active, new Overtaken())] : undefined
}

async function keyStays(ctx: Context, { agent_id, api_key_id }: NonNullable<Worker['agent']>) {
  const { table, space } = ctx
  const ref = await table.get(keyRefs, { tenant_id: space.tenant_id, id: api_key_id })
  const found = ref && (await table.get(apiKeys, ref))
  if (!found || found.kind !== space.mode || found.agent_id !== agent_id) return undefined
  if (statusOf(found, ctx.now()) !== 'active' || !grantNow(found, await makerOf(table, found))) return undefined
  return [apiKeys.check(found, { expression: 'attribute_not_exists(revoked_at)' }, new Overtaken())]
}
