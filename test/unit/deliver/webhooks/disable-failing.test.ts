import { beforeEach, describe, expect, test } from 'vitest'
import { openTable } from '../../../../shared/base/context.ts'
import type { Key } from '../../../../shared/base/table/entity.ts'
import { sweepDue } from '../../../../shared/base/table/sweep-due.ts'
import { changeEndpoint } from '../../../../shared/deliver/webhooks/endpoints/create.ts'
import { disableFailing } from '../../../../shared/deliver/webhooks/endpoints/disable-failing.ts'
import { Service } from './service.ts'

const DAY = 86_400_000

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

/** What the sweeper does each minute with endpoints. */
async function sweep(): Promise<Key[]> {
  const met: Key[] = []
  await sweepDue(openTable(), async (due) => {
    met.push(due)
    await disableFailing(due)
  })
  return met
}

describe('an endpoint in error that is sent nothing', () => {
  test('is disabled after five days, not before', async () => {
    const endpoint = await it.endpoint()
    await it.setHealth(endpoint, { status: 'error', consecutive_failed: 5 })
    const failed = it.clock.now()

    it.clock.moveTo(failed + 5 * DAY - 1_000)
    await sweep()
    expect((await it.reread(endpoint)).status).toBe('error')
    it.clock.moveTo(failed + 5 * DAY)
    await sweep()

    expect(await it.reread(endpoint)).toMatchObject({ status: 'disabled', disabled_reason: 'unhealthy' })
    expect(it.committed()).toContain('webhook.endpoint.disabled')
    expect(await sweep()).toEqual([])
  })

  test('stays active when it has recovered meanwhile', async () => {
    const endpoint = await it.endpoint()
    await it.setHealth(endpoint, { status: 'error' })
    const due = { pk: 'T#ten_1#live#HOOKS', sk: endpoint.id }
    await changeEndpoint(it.ctx(), endpoint.id, { status: 'active' })
    it.clock.moveTo(it.clock.now() + 6 * DAY)

    await disableFailing(due)

    expect((await it.reread(endpoint)).status).toBe('active')
    expect(await sweep()).toEqual([])
  })
})
