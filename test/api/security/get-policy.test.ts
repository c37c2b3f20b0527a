import { beforeAll, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let policy_id: string
beforeAll(async () => {
  acme = await governed(local)
  ;({ policy_id } = await acme.policy({ name: 'first', effect: 'forbid', mode: 'shadow' }))
  await acme.policy({ policy_id, version: 1, name: 'second', effect: 'forbid', mode: 'shadow' })
})

const get = (query: Record<string, string> = {}, id = policy_id) =>
  acme.call(security.getPolicy, { params: { tenant_id: acme.tenant_id, policy_id: id }, query })

describe('GET /api/v1/security/tenants/{tenant_id}/policies/{policy_id}', () => {
  test('200: as it is, and as any of its versions was', async () => {
    expect(await get()).toMatchObject({ status: 200, body: { policy_id, version: 2, name: 'second' } })
    expect(await get({ version: '1' })).toMatchObject({ status: 200, body: { policy_id, version: 1, name: 'first' } })
  })

  test('404: an unknown version or policy', async () => {
    expect(await get({ version: '3' })).toMatchObject({ status: 404, body: { detail: 'policy not found' } })
    expect(await get({}, 'pol_01JD3Q8Z5N0A2C4E6G8J0M2P4R')).toMatchObject({ status: 404 })
  })

  test.each(['0', '1.0', 'x'])('400: %s is no version', async (version) => {
    expect(await get({ version })).toMatchObject({ status: 400 })
  })
})
