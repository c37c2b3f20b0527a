import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  customRoles,
  grantNow,
  permissionsOfUser,
  personBehind,
} from '../../../../shared/identity/access/permissions.ts'
import { endpoint } from '../../../../shared/edge/endpoint.ts'
import { type User, users } from '../../../../shared/identity/accounts/user.ts'
import { accountIn, personIn } from '../../../support/person.ts'
import { rewrite } from '../../../support/rewrite.ts'
import { type Deployment, deploy, makeThing, route, TABLE } from '../../edge/deployment.ts'

let service: Deployment
beforeEach(async () => {
  service = await deploy()
})

/** An auditor but for evidence, who may read accounts besides. */
async function maker(status: User['status']) {
  const user = await accountIn(service.space, ['auditor'], { status, denies: ['evidence:read'] })
  return { user, permissions: permissionsOfUser(user, []), raised: [] }
}

describe('what a credential may do now', () => {
  const cap = ['evidence:read', 'audit:read'] as const
  test.each(['active', 'invited'] as const)('is what both it and its %s maker may', async (status) => {
    expect(grantNow({ service: false, cap }, await maker(status))).toEqual(new Set(['audit:read']))
  })

  test.each(['suspended', 'deleted'] as const)('is nothing while its maker is %s', async (status) => {
    expect(grantNow({ service: false, cap }, await maker(status))).toBeUndefined()
  })

  test('is nothing without a maker, and all of it where it is the tenant’s', () => {
    expect(grantNow({ service: false, cap }, undefined)).toBeUndefined()
    expect(grantNow({ service: true, cap }, undefined)).toEqual(new Set(cap))
  })
})

test('the person behind a request is who signed in, or who made the key', () => {
  const { principal } = personIn(service.space, ['admin'])
  expect(personBehind(principal)).toBe('usr_admin')
  expect(personBehind({ ...principal, user_id: undefined, id: 'key_1', creator: 'usr_9' })).toBe('usr_9')
})

describe('reading the maker of a key', () => {
  const handler = endpoint(route(), { response: z.object({ name: z.string() }) }, ({ params, ctx }) =>
    makeThing(ctx, params.id),
  )
  const send = (key: string, id: string) => service.send(handler, { key, params: { id } })
  const readsOf = async (run: () => Promise<unknown>) => {
    const before = { ...service.table.calls }
    await run()
    return ['GetItem', 'BatchGetItem'].map((name) => (service.table.calls[name] ?? 0) - (before[name] ?? 0))
  }

  test('costs no call of its own, with any roles', async () => {
    const permissions = ['protocol:write' as const]
    const times = { created_at: '2026-11-20T00:00:00.000Z', updated_at: '2026-11-20T00:00:00.000Z' }
    const role = { tenant_id: service.space.tenant_id, name: 'maker', description: '', permissions, ...times }
    await service.ctx.table.commit([customRoles.insert(role)])
    await accountIn(service.space, ['maker'], { id: 'usr_2' })
    const key = await service.key({ created_by: 'usr_2' })
    expect((await send(key, 'a')).status).toBe(201)

    expect(await readsOf(() => send(key, 'b'))).toEqual([0, 1])
  })

  test('takes nothing from the tenant’s windows once the maker is suspended', async () => {
    const key = await service.key()
    await send(key, 'a')
    await rewrite(users, { ...service.space, id: 'usr_1' }, { status: 'suspended' })
    for (const id of ['b', 'c']) expect((await send(key, id)).status).toBe(401) // the first still began to count
    const windows = () => service.table.items(TABLE).filter(({ pk }) => pk?.S?.startsWith('T#ten_1#live#RL'))
    const before = structuredClone(windows())
    for (const id of ['d', 'e']) expect((await send(key, id)).status).toBe(401)

    expect(before).not.toEqual([])
    expect(windows()).toEqual(before)
    await rewrite(users, { ...service.space, id: 'usr_1' }, { status: 'active' })
    expect((await send(key, 'f')).status).toBe(201)
  })
})
