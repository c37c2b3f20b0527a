import { beforeAll, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { ownerInPerson, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
beforeAll(async () => {
  acme = await governed(local)
  owner = await ownerInPerson(local, acme)
})

const disable = (policy_id: string, as: Pick<Governed, 'tenant_id' | 'call'> = { ...acme, call: owner.call }) =>
  as.call(security.disablePolicy, { params: { tenant_id: as.tenant_id, policy_id } })

describe('POST /api/v1/security/tenants/{tenant_id}/policies/{policy_id}/disable', () => {
  test('200: takes the policy out of force, as a version of its own', async () => {
    const { policy_id } = await acme.policy({ name: 'kill switch', effect: 'forbid' })
    expect((await acme.execute('get_contact')).status).toBe(403)

    const events = await acme.told(async () => {
      expect(await disable(policy_id)).toMatchObject({ status: 200, body: { policy_id, version: 2, enabled: false } })
    })

    expect((await acme.execute('get_contact')).status).toBe(200)
    expect(events.map(({ type }) => type)).toEqual(['evidence.emitted', 'policy.updated'])
    expect(events[1]?.data).toMatchObject({ change: 'disabled', policy_version: 2, previous_version: 1 })
  })

  test('200: a second time changes nothing', async () => {
    const { policy_id } = await acme.policy({ name: 'twice', effect: 'forbid' })
    await disable(policy_id)
    const events = await acme.told(async () => {
      expect(await disable(policy_id)).toMatchObject({ status: 200, body: { version: 2, enabled: false } })
    })

    expect(events).toEqual([])
  })

  test('404: a missing policy and another tenant’s look the same', async () => {
    const { policy_id } = await acme.policy({ name: 'mine', effect: 'forbid', mode: 'shadow' })
    const other = await governed(local)
    const foreign = await disable(policy_id, other)
    const missing = await disable('pol_01JD3Q8Z5N0A2C4E6G8J0M2P4R', other)

    expect(foreign).toMatchObject({ status: 404, body: { detail: 'policy not found' } })
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
  })
})
