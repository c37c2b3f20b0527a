import { beforeAll, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
/** Newest first. */
const ids: string[] = []
beforeAll(async () => {
  acme = await governed(local)
  for (const priority of [1, 2, 3]) {
    const policy = { name: `p${priority}`, effect: 'forbid', priority, enabled: priority !== 2, mode: 'shadow' }
    ids.unshift((await acme.policy(policy)).policy_id)
  }
})

const list = async (query: Record<string, string | number> = {}, as: Pick<Governed, 'call'> = acme) =>
  bodyOf(await as.call(security.listPolicies, { params: { tenant_id: acme.tenant_id }, query }), 200)
const placesOf = ({ items }: { items: { policy_id: string }[] }) => items.map(({ policy_id }) => ids.indexOf(policy_id))

describe('GET /api/v1/security/tenants/{tenant_id}/policies', () => {
  test('200: newest first, each as it is now', async () => {
    const page = await list()

    expect(page).toMatchObject({ total: 3, has_more: false, next_cursor: null })
    expect(placesOf(page)).toEqual([0, 1, 2])
    expect(page.items[0]).toMatchObject({ name: 'p3', version: 1, enabled: true, effect: 'forbid' })
    for (const hidden of ['tenant_id', 'body', '_v']) expect(page.items[0]).not.toHaveProperty(hidden)
  })

  test.each([
    ['true', [0, 2]],
    ['false', [1]],
  ])('200: enabled=%s', async (enabled, expected) => {
    const page = await list({ enabled })

    expect(placesOf(page)).toEqual(expected)
    expect(page.total).toBe(expected.length)
  })

  test('200: by cursor and by offset', async () => {
    const first = await list({ limit: 2 })

    expect(placesOf(await list({ limit: 2, cursor: first.next_cursor }))).toEqual([2])
    expect(await list({ limit: 1, offset: 1 })).toMatchObject({ total: 3, limit: 1, offset: 1 })
  })

  test('200: live and test mode have their own', async () => {
    expect(await list({}, acme.as('sandbox'))).toMatchObject({ total: 0, items: [] })
  })

  test('404: another tenant is a missing one', async () => {
    const { tenant_id } = await local.tenant()

    expect(await acme.call(security.listPolicies, { params: { tenant_id } })).toMatchObject({
      status: 404,
      body: { detail: 'tenant not found' },
    })
  })
})
