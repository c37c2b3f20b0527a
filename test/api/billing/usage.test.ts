import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { billing } from '../../../functions/billing/routes.ts'
import { handler as steps } from '../../../functions/workers/steps.ts'
import { PutObjectCommand, s3 } from '../../../shared/base/aws/s3.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { onAlarm } from '../../../shared/base/lib/log.ts'
import { tenants } from '../../../shared/base/tenant/tenant.ts'
import { env } from '../../../shared/base/lib/runtime.ts'
import { hourOf, TOTAL, usageItemsOf, usageSums } from '../../../shared/ledger/usage/usage-item.ts'
import { customers } from '../../../shared/operate/billing/customer.ts'
import { keepPlan } from '../../../shared/operate/billing/work.ts'
import { compareUsage, overageOf, pushes, pushUsage } from '../../../shared/operate/usage/push.ts'
import { pushesDue, sweepPush } from '../../../shared/operate/usage/expect-push.ts'
import { metered } from '../../../shared/operate/usage/folder.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { json, startTarget } from '../../support/target.ts'
import { tamper } from '../../support/insider.ts'
import { printServerErrors } from '../../support/server-errors.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  local.clock.moveTo(Date.parse(`${iso(local.clock.now()).slice(0, 13)}:10:00.000Z`) + HOUR_MS)
  acme = await governed(local, undefined, { plan: 'free' })
})

const shown = async (tenant = acme) => bodyOf(await tenant.call(billing.getUsage), 200)
/** Past the end of a minute, after which it is counted. */
const counted = async () => {
  await local.advance(75_000)
  await local.sweep()
}
/** As if so much had been used before. */
const used = async (add: Record<string, number>, hour = hourOf(local.clock.now())) => {
  for (const { pk, sk } of usageItemsOf(acme.ctx.space, hour))
    await acme.ctx.table.update({ pk, sk }, { add, set: { _type: usageSums.name } })
}

describe('usage', () => {
  test('is what has succeeded, once, with the tokens that a target reports', async () => {
    const target = await startTarget()
    bodyOf(
      await acme.register([{ action_id: 'get_contact', target: { type: 'http', url: target.url } }], {
        version: '1.1.0',
      }),
      200,
      201,
    )
    target.next(json(200, { usage: { input_tokens: 30, output_tokens: 12 } }), json(400, {}))
    bodyOf(await acme.execute('get_contact'), 200)
    expect((await acme.execute('get_contact')).status).toBe(502)
    await counted()
    await counted()
    const { executions, tokens, requests, by_day, period } = await shown()
    expect(executions).toMatchObject({ used: 1, limit: 1_000, percent: 0.1 })
    expect(tokens).toMatchObject({ input: 30, output: 12, estimated_share: 0 })
    expect(requests.used).toBeGreaterThanOrEqual(3)
    expect(by_day).toMatchObject([{ executions: 1, tokens: 42 }])
    expect(Date.parse(period.end_at)).toBeGreaterThan(local.clock.now())
    await target.stop()
  })

  test('is estimated where nobody reports, and the sandbox counts apart', async () => {
    const sandbox = await governed(local, undefined, { mode: 'test' })
    bodyOf(await acme.execute('get_contact', { payload: { note: 'x'.repeat(89) } }), 200)
    bodyOf(await sandbox.execute('get_contact'), 200)
    await counted()
    expect((await shown()).tokens).toMatchObject({ used: 25, estimated_share: 1 })
    expect(await shown(sandbox)).toMatchObject({ environment: 'test', executions: { used: 1 }, thresholds: [] })
  })

  test('counts an action that waited when it has run', async () => {
    const { approval } = await acme.held()
    await counted()
    expect((await shown()).executions.used).toBe(0)
    bodyOf(await acme.approve(approval.id), 200)
    await counted()
    expect((await shown()).executions.used).toBe(1)
  })

  test('of storage shrinks by what is erased, once', async () => {
    const payload = { note: 'x'.repeat(9_000) }
    const one = bodyOf(await acme.execute('get_contact', { payload }), 200)
    const policy_context = { data_subject: 'ann' }
    bodyOf(await acme.execute('get_contact', { payload: { note: 'y' }, policy_context }), 200)
    await counted()
    expect((await shown()).storage.used).toBe(9_011 + 12)
    const erase = (body: object) => acme.call(evidence.erase, { body: { ...body, reason: 'requested' } })
    bodyOf(await erase({ request_id: one.receipt.request_id }), 202)
    expect((await shown()).storage.used).toBe(12)
    bodyOf(await erase({ request_id: one.receipt.request_id }), 202)
    bodyOf(await erase({ data_subject: 'ann' }), 202)
    expect((await shown()).storage.used).toBe(0)
  })

  test('of a commit is what its measures say', () => {
    expect(
      metered({
        measures: [
          ['d', 0, 0, 1, 0, 40],
          ['r', 0, 0, 1, 9, 40],
        ],
      }),
    ).toEqual([
      ['storage_bytes', 40],
      ['executions', 1],
      ['tokens_input', 10],
      ['tokens_output', 3],
      ['tokens_estimated', 13],
      ['storage_bytes', 9],
    ])
    expect(metered({ measures: [['r', 1, 0, 1, 9], ['unheard'], null] })).toEqual([['storage_bytes', 9]])
  })
})

test('of files is listed by the daily step, and tells its thresholds', async () => {
  const { tenant_id, mode } = acme.ctx.space
  const Bucket = env('FILES_BUCKET')
  await s3().send(new PutObjectCommand({ Bucket, Key: `datasets/${tenant_id}/${mode}/a`, Body: 'x'.repeat(500) }))
  await acme.ctx.table.update(usageSums.key({ ...acme.ctx.space, sk: TOTAL }), {
    add: { storage_bytes: 800_000_000 },
    set: { _type: usageSums.name },
  })
  const body = JSON.stringify({ every: 'day', spaces: [acme.ctx.space] })
  const told = await acme.told(() => steps({ Records: [{ messageId: 'm', body }] }))
  expect((await shown()).storage).toMatchObject({ used: 800_000_500, in_files: 500 })
  const thresholds = told.filter(({ type }) => type === 'usage.threshold.reached')
  expect(thresholds.map(({ data }) => data)).toMatchObject([
    { meter: 'storage_bytes', threshold_percent: 50 },
    { meter: 'storage_bytes', threshold_percent: 80 },
  ])
})

describe('a quota', () => {
  test('tells each threshold once, and what is left from 80 % on', async () => {
    await used({ executions: 799 })
    expect((await acme.execute('get_contact')).headers['x-quota-remaining']).toBeUndefined()
    const told = await acme.told(async () => {
      await counted()
      bodyOf(await acme.execute('get_contact'), 200)
      await counted()
    })
    const thresholds = told.filter(({ type }) => type === 'usage.threshold.reached')
    expect(thresholds.map(({ data }) => data)).toMatchObject([
      { meter: 'executions', threshold_percent: 50, limit: 1_000 },
      { meter: 'executions', threshold_percent: 80, limit: 1_000 },
    ])
    expect((await acme.execute('get_contact')).headers['x-quota-remaining']).toBe('executions=199')
  })

  test('refuses from 120 % on the free plan: what uses it up, and nothing else', async () => {
    const { approval } = await acme.held()
    await used({ executions: 1_199 })
    bodyOf(await acme.execute('get_contact'), 200)
    await counted()
    const refused = await acme.execute('get_contact')
    expect(refused).toMatchObject({ status: 429, body: { code: 'quota_exceeded' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    bodyOf(await acme.call(approvals.list), 200)
    bodyOf(await acme.approve(approval.id), 200)
    expect(await shown()).toMatchObject({ thresholds: expect.arrayContaining([{ meter: 'executions', percent: 120 }]) })
  })

  test('that was agreed holds as its founding says it, whatever the table says', async () => {
    await expect(local.tenant({ plan: 'free', quotas: { executions: 1 } })).rejects.toThrow()
    acme = await governed(local, undefined, { plan: 'enterprise', quotas: { executions: 2_000 } })
    await used({ executions: 1_700 })
    bodyOf(await acme.execute('get_contact'), 200)
    await counted()
    expect(await shown()).toMatchObject({ executions: { used: 1_701, limit: 2_000 }, tokens: { limit: null } })
    expect((await acme.execute('get_contact')).headers['x-quota-remaining']).toBe('executions=299')
    const alarms: string[] = []
    onAlarm((event) => alarms.push(event))
    onTestFinished(printServerErrors)
    for (const quotas of [{ executions: 9_000_000 }, undefined]) {
      const change = quotas ? { set: { quotas } } : { remove: ['quotas'] }
      await acme.ctx.table.update(tenants.key({ id: acme.tenant_id }), change)
      await keepPlan(acme.ctx)
      expect(await shown()).toMatchObject({ executions: { limit: 2_000 } })
    }
    expect(alarms).toEqual(['quotas_differ', 'quotas_differ'])
    await keepPlan(acme.ctx)
    expect(alarms).toHaveLength(2)
  })

  test('never refuses a plan that is paid for, nor the sandbox', async () => {
    acme = await governed(local, undefined, { plan: 'team' })
    await used({ executions: 40_000 })
    bodyOf(await acme.execute('get_contact'), 200)
    await counted()
    expect((await acme.execute('get_contact')).status).toBe(200)
  })
})

describe('overage', () => {
  const billed = (customer: string) =>
    Object.entries(local.connect.payments.state.meters)
      .filter(([key]) => key.startsWith(customer))
      .reduce((sum, [, { value }]) => sum + value, 0)
  const hour = async () => {
    local.clock.moveTo(local.clock.now() + HOUR_MS)
    await local.sweep()
  }
  const customerOf = async () => {
    const { customer_id = '' } = (await acme.ctx.table.get(customers, { tenant_id: acme.tenant_id })) ?? {}
    return customer_id
  }

  test.for([
    [24_990, 25, 25_000, 15],
    [25_015, 100, 25_000, 100],
    [25_115, 100, 250_000, 0],
    [0, 10, null, 0],
  ] as const)('after %i, %i more with a quota of %s are %i', ([before, more, quota, over]) => {
    expect(overageOf(before, more, quota)).toBe(over)
  })

  const paying = async () => {
    const urls = { success_url: 'http://localhost:3000/', cancel_url: 'http://localhost:3000/' }
    const { checkout_url } = bodyOf(await acme.call(billing.checkout, { body: { plan_id: 'team', ...urls } }), 200)
    await fetch(checkout_url, { method: 'POST', body: new URLSearchParams({ decision: 'pay' }), redirect: 'manual' })
    await local.drain()
    return customerOf()
  }

  /** The provider begins another period. */
  const renewed = async (customer: string, start: number) => {
    const { payments } = local.connect
    const of = Object.values(payments.state.subscriptions).find((one) => one.customer === customer)
    const [item] = of?.items.data ?? []
    if (!of || !item) throw new Error('no subscription')
    Object.assign(item, { current_period_start: start / 1_000, current_period_end: start / 1_000 + 30 * 86_400 })
    await payments.pay(of.id)
    await local.drain()
  }

  test('of the hour with which a period ends is owed in it, however late it is told', async () => {
    const customer = await paying()
    const last = local.clock.now()
    const end = Date.parse(`${hourOf(last)}:00:00.000Z`) + HOUR_MS
    await used({ executions: 25_010 }, hourOf(last))
    await used({ executions: 30 }, hourOf(end))
    local.clock.moveTo(end + 2 * HOUR_MS)
    await renewed(customer, end)
    await pushUsage(acme.ctx)
    expect(billed(customer)).toBe(10)
    await used({ executions: 5 }, hourOf(last))
    await pushUsage(acme.ctx)
    expect(billed(customer)).toBe(15)
  })

  test('of what the provider takes no more is not told, and what follows is', async () => {
    const customer = await paying()
    const start = local.clock.now()
    local.clock.moveTo(start + 35 * DAY_MS)
    await renewed(customer, start + 30 * DAY_MS)
    await used({ executions: 26_000 }, hourOf(start + HOUR_MS))
    await used({ executions: 7 }, hourOf(start + 10 * DAY_MS))
    await pushUsage(acme.ctx)
    expect(billed(customer)).toBe(7)
  })

  test('is told again by the sweeper when its message is lost, and the sandbox owes nothing', async () => {
    const customer = await paying()
    const { tenant_id } = acme
    await used({ executions: 25_010 })
    await acme.ctx.table.commit([pushesDue.insert({ tenant_id, due_at: iso(local.clock.now()) })])
    const sandbox = { ...acme.ctx.space, mode: 'test' as const }
    for (const { pk, sk } of usageItemsOf(sandbox, hourOf(local.clock.now())))
      await acme.ctx.table.update({ pk, sk }, { add: { executions: 30_000 }, set: { _type: usageSums.name } })
    await sweepPush(acme.ctx)
    const { due_at = '' } = (await acme.ctx.table.get(pushesDue, { tenant_id })) ?? {}
    expect(Date.parse(due_at)).toBeGreaterThan(local.clock.now() + HOUR_MS - 60_000)
    await local.drain()
    expect(billed(customer)).toBe(0)
    await hour()
    await hour()
    expect(billed(customer)).toBe(10)
  })

  test('is told once an hour is over; told again 30 hours later it is billed once, and late counts replace it', async () => {
    const customer = await paying()
    const first = hourOf(local.clock.now())
    await used({ executions: 25_010 })
    bodyOf(await acme.execute('get_contact'), 200)
    await counted()
    expect(billed(customer)).toBe(0)
    await hour()
    await hour()
    expect(billed(customer)).toBe(11)
    const push = await acme.ctx.table.get(pushes, { tenant_id: acme.tenant_id, hour: first })
    if (!push) throw new Error('nothing was told')
    await acme.ctx.table.commit([pushes.replace({ ...push, state: 'pending' }, push)])
    local.clock.moveTo(local.clock.now() + 30 * HOUR_MS)
    await pushUsage(acme.ctx)
    expect(billed(customer)).toBe(11)
    await used({ executions: 4 }, first)
    await pushUsage(acme.ctx)
    expect(billed(customer)).toBe(15)

    const { meters } = local.connect.payments.state
    const key = Object.keys(meters).find((one) => one.startsWith(customer)) ?? ''
    meters[key] = { identifier: 'lost', value: 3 }
    await compareUsage(acme.ctx)
    expect(billed(customer)).toBe(15)
    const calls = local.connect.calls().length
    await compareUsage(acme.ctx)
    expect(
      local.connect
        .calls()
        .slice(calls)
        .filter((one) => one.includes('meter_events')),
    ).toEqual([])
  })

  test('is billed with the quotas of the plan that is paid for, whatever somebody writes into the table', async () => {
    const customer = await paying()
    const first = hourOf(local.clock.now())
    await used({ executions: 25_010 })
    local.clock.moveTo(local.clock.now() + 2 * HOUR_MS)
    await acme.ctx.table.update(tenants.key({ id: acme.tenant_id }), { set: { plan: 'enterprise' } })
    await pushUsage(acme.ctx)
    expect(billed(customer)).toBe(10)
    const quotas = { executions: null, tokens: null }
    await tamper(pushes.key({ tenant_id: acme.tenant_id, hour: first }), {
      quotas,
      values: { executions: 0, tokens: 0 },
    })
    local.connect.payments.state.meters = {}
    await compareUsage(acme.ctx)
    expect(billed(customer)).toBe(10)
  })

  test('of a tenant that has never paid is owed to nobody', async () => {
    await used({ executions: 1_100 })
    bodyOf(await acme.execute('get_contact'), 200)
    await counted()
    await hour()
    await hour()
    expect(await customerOf()).toBe('')
  })
})
