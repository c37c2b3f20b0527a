// What limits and sequences add to the cost of an action that runs at once.
import { protocol } from '../../functions/protocol/routes.ts'
import { security } from '../../functions/security/routes.ts'
import { systemContext } from '../../shared/base/context.ts'
import { nameOf } from '../../shared/base/table/entity.ts'
import { keyHash } from '../../shared/govern/limits/counters.ts'
import { counterItems, FIRST_SHARD } from '../../shared/govern/limits/item.ts'
import { noteContended } from '../../shared/govern/limits/window.ts'
import type { LocalStack, TestTenant } from '../support/local-stack.ts'
import { executeBody, referenceTenant } from '../support/reference-action.ts'
import { type Cost, measure } from './measure.ts'

const executing = (tenant: TestTenant) => async () => {
  const reply = await tenant.call(protocol.execute, { body: executeBody('AUTO') })
  if (reply.status !== 200) throw new Error(`execute answered ${JSON.stringify(reply.body)}`)
}

/** A tenant with so many limits, each of which counts the reference action. */
async function limited(local: LocalStack, limits: number) {
  const tenant = await referenceTenant(local)
  const { tenant_id } = tenant
  const ids: string[] = []
  for (let n = 1; n <= limits; n += 1) {
    const limit = { measure: 'count', max: 1_000 + n, window: '1h', per: [] }
    const body = { name: `limit ${n}`, effect: 'forbid', limit }
    const reply = await tenant.call(security.savePolicy, { params: { tenant_id }, body })
    if (reply.status !== 201) throw new Error(`the limit could not be saved: ${JSON.stringify(reply.body)}`)
    ids.push(reply.body.policy_id)
  }
  const execute = executing(tenant)
  for (let n = 0; n < 3; n += 1) await execute()
  /** As if this process had met others on the counters. */
  const meetOthers = () => {
    const space = { tenant_id, mode: 'live' } as const
    for (const name of ids) {
      const id = { ...space, name, hash: keyHash([]), shard: FIRST_SHARD }
      noteContended(systemContext(space), nameOf(counterItems.key(id)))
    }
  }
  return { execute, meetOthers }
}

/** A warm action of a tenant with a policy that looks at what the same agent, and the same person, did before. */
export async function measureSequenced(local: LocalStack): Promise<Record<string, Cost>> {
  const tenant = await referenceTenant(local)
  const { tenant_id } = tenant
  for (const per of ['agent', 'person']) {
    const after = { kinds: ['secret_read'], within: '10m', per }
    const body = { name: `after a secret, per ${per}`, effect: 'forbid', after }
    const reply = await tenant.call(security.savePolicy, { params: { tenant_id }, body })
    if (reply.status !== 201) throw new Error(`the policy could not be saved: ${JSON.stringify(reply.body)}`)
  }
  const execute = executing(tenant)
  for (let n = 0; n < 3; n += 1) await execute()
  return { 'execute AUTO, after others': await measure(execute) }
}

export async function measureLimited(local: LocalStack): Promise<Record<string, Cost>> {
  const one = await limited(local, 1)
  const eight = await limited(local, 8)
  const costs = {
    'execute AUTO, one limit': await measure(one.execute),
    'execute AUTO, eight limits': await measure(eight.execute),
  }
  one.meetOthers()
  eight.meetOthers()
  return {
    ...costs,
    'execute AUTO, one contended limit': await measure(one.execute),
    'execute AUTO, eight contended limits': await measure(eight.execute),
  }
}
