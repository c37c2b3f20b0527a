import { describe, expect, test } from 'vitest'
import { limits } from '../../../functions/limits/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { openTable } from '../../../shared/base/context.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { tenants } from '../../../shared/base/tenant/tenant.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

/** The whole minute lies ahead, so that no window ends meanwhile. */
const atMinute = () => local.clock.moveTo((Math.floor(local.clock.now() / 60_000) + 1) * 60_000)
const spend = async ({ call }: Pick<TestTenant, 'call'>, requests: number) => {
  for (let request = 0; request < requests; request += 1) await call(protocol.listManifests)
}

describe('GET /api/v1/rate-limit', () => {
  test('200: shows the windows of the caller and takes nothing from them', async () => {
    const acme = await local.tenant({ plan: 'team' })
    atMinute()
    await spend(acme, 3)
    const first = await acme.call(limits.get)
    const second = await acme.call(limits.get)

    const { windows } = second.body
    expect(second).toMatchObject({ status: 200, body: { plan: 'team', mode: 'live', streams: { limit: 5 } } })
    expect(windows.minute).toMatchObject({ limit: 500, used: 3, remaining: 497 })
    expect(windows.day).toMatchObject({ limit: 50_000, used: 3, remaining: 49_997 })
    expect(windows.second).toMatchObject({ limit: 50 })
    expect(windows.minute.reset % 60).toBe(0)
    expect(windows.day.reset % 86_400).toBe(0)
    expect(second.body.windows.minute).toEqual(first.body.windows.minute)
    expect(second.headers).toMatchObject({ 'x-ratelimit-limit': '500', 'x-ratelimit-remaining': '497' })
  })

  test('200: is answered when the windows are spent', async () => {
    const acme = await local.tenant({ plan: 'free' })
    atMinute()
    const replies = await Promise.all(Array.from({ length: 110 }, () => acme.call(protocol.listManifests)))

    expect(replies.some(({ status }) => status === 429)).toBe(true)
    expect((await acme.call(limits.get)).status).toBe(200)
  })

  test('200: the day goes on where the minute before left it', async () => {
    const acme = await local.tenant({ plan: 'free' })
    await spend(acme, 2)
    const noon = Math.floor(local.clock.now() / 86_400_000) * 86_400_000 + 1.5 * 86_400_000
    local.clock.moveTo(noon)
    await spend(acme, 2)
    local.clock.moveTo(noon + 5 * 60_000)

    expect((await acme.call(limits.get)).body.windows).toMatchObject({
      minute: { used: 0, remaining: 100 },
      day: { used: 2, remaining: 4_998 },
    })
  })

  test('200: modes are counted apart', async () => {
    const acme = await local.tenant({ plan: 'free' })
    atMinute()
    await spend(acme, 2)

    expect((await acme.as('sandbox').call(limits.get)).body).toMatchObject({
      mode: 'test',
      windows: { day: { used: 0 } },
    })
  })

  test('200: an enterprise has no daily limit, and the figures it agreed on', async () => {
    const acme = await local.tenant({ plan: 'enterprise' })
    const table = openTable()
    const stored = await table.get(tenants, { id: acme.tenant_id })
    if (!stored) throw new Error('the tenant is not stored')
    await table.commit([tenants.replace({ ...stored, rate_limits: { per_minute: 9_000 } }, stored)])
    coldStart()

    expect((await acme.call(limits.get)).body.windows).toMatchObject({
      second: { limit: 200 },
      minute: { limit: 9_000 },
      day: { limit: null, remaining: null },
    })
  })

  test('200: names the categories and whose windows they take from', async () => {
    const acme = await local.tenant({ plan: 'business' })

    expect((await acme.call(limits.get)).body.categories).toEqual([
      { category: 'global', counted_per: 'tenant', per_minute: 2_000, per_second: 200 },
      { category: 'ai', counted_per: 'tenant', per_minute: 2_000, per_second: 200 },
      { category: 'auth', counted_per: 'address', per_minute: 6_000, per_second: 1_000 },
    ])
  })
})
