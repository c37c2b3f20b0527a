// What is kept and counted of personal data in payloads and outputs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { metrics } from '../../../functions/metrics/routes.ts'
import { piiEvents, piiPartition } from '../../../shared/govern/governance/pii/event.ts'
import type { GovernanceSettings } from '../../../shared/govern/governance/settings.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { measured } from '../../support/measures.ts'
import { json, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())
beforeEach(() => {
  target.calls.length = 0
})

const payload = { note: 'ann@example.com, bob@example.com and ann@example.com' }

const tenantIn = async (pii_mode: GovernanceSettings['pii_mode']): Promise<Governed> => {
  const to = { type: 'http', url: target.url }
  const tenant = await governed(local, [
    { action_id: 'get_contact' },
    { action_id: 'find_contact', target: to },
    { action_id: 'delete_contact', target: to },
    { action_id: 'send_email' },
  ])
  await tenant.change({ pii_mode })
  return tenant
}

const eventsOf = ({ ctx }: Governed) =>
  ctx.table.query(piiEvents, { pk: piiPartition(ctx.space, iso(ctx.now()).slice(0, 7)), limit: 100 })

/** The measures of personal data. */
async function statedBy({ ctx }: Governed, happening: () => Promise<unknown>) {
  await local.drain()
  const commits = await measured(ctx, async () => {
    await happening()
    await local.drain()
  })
  return commits.flat().filter((measure) => Array.isArray(measure) && measure[0] === 'p')
}

describe('an execution whose payload holds personal data', () => {
  test('leaves an event that counts types and names no value', async () => {
    const acme = await tenantIn('detect')
    const { request_id } = bodyOf(await acme.execute('get_contact', { payload }), 200).receipt

    const [event, ...others] = await eventsOf(acme)

    expect(others).toEqual([])
    expect(event).toEqual({
      ...acme.ctx.space,
      execution_id: request_id,
      node_id: NODE_ID,
      at: expect.any(String),
      direction: 'input',
      action: 'detected',
      types: { EMAIL: 3 },
      external: false,
      truncated: false,
      links: [expect.stringMatching(/^[\da-f]{16}$/), expect.stringMatching(/^[\da-f]{16}$/)],
      _v: 1,
    })
  })

  test('links what holds the same value, within its tenant alone', async () => {
    const [acme, other] = [await tenantIn('detect'), await tenantIn('detect')]
    for (const tenant of [acme, acme, other]) bodyOf(await tenant.execute('get_contact', { payload }), 200)

    const [first, second] = await eventsOf(acme)
    const [foreign] = await eventsOf(other)

    expect(first?.links).toEqual(second?.links)
    expect(foreign?.links).not.toContain(first?.links[0])
  })

  test('counts all values, and links the first 20', async () => {
    const acme = await tenantIn('detect')
    const people = Array.from({ length: 30 }, (_, index) => `p${index}@example.com`)
    bodyOf(await acme.execute('get_contact', { payload: { people } }), 200)
    const [event] = await eventsOf(acme)

    expect(event?.types).toEqual({ EMAIL: 30 })
    expect(event?.links).toHaveLength(20)
  })

  test('tells that the data leave the tenant', async () => {
    const acme = await tenantIn('detect')
    await acme.held('send_email', { payload: { to: 'ann@elsewhere.example' } })

    expect(await eventsOf(acme)).toMatchObject([{ direction: 'input', action: 'detected', external: true }])
  })

  test('is an event of a blocked request, too', async () => {
    const acme = await tenantIn('block')

    const stated = await statedBy(acme, async () => bodyOf(await acme.execute('get_contact', { payload }), 403))

    expect(await eventsOf(acme)).toMatchObject([{ direction: 'input', action: 'blocked', types: { EMAIL: 3 } }])
    expect(stated).toEqual([['p', 0, 2, 1, 3]])
  })

  test('leaves one event, however often it is decided on', async () => {
    const acme = await tenantIn('redact')
    const { approval } = await acme.held('delete_contact', { payload })
    target.next(json(200, { ok: true }))

    const stated = await statedBy(acme, async () => bodyOf(await acme.approve(approval.id), 200))

    expect(await eventsOf(acme)).toMatchObject([{ direction: 'input', action: 'redacted' }])
    expect(stated).toEqual([])
  })

  test('leaves none in mode off, or without personal data', async () => {
    const [off, plain] = [await tenantIn('off'), await tenantIn('detect')]
    target.next(json(200, payload))
    bodyOf(await off.execute('find_contact', { payload }), 200)
    bodyOf(await plain.execute('get_contact', { payload: { note: 'hello' } }), 200)

    expect([...(await eventsOf(off)), ...(await eventsOf(plain))]).toEqual([])
  })
})

describe('an execution whose output holds personal data', () => {
  test.each([
    ['detect', 'detected', 0],
    ['redact', 'redacted', 1],
    ['block', 'detected', 0], // what the target has done cannot be refused any more
  ] as const)('leaves an event in mode %s: %s', async (mode, action, word) => {
    const acme = await tenantIn(mode)
    target.next(json(200, { found: 'eve@example.com' }))

    const stated = await statedBy(acme, async () => bodyOf(await acme.execute('find_contact'), 200))

    expect(await eventsOf(acme)).toMatchObject([{ direction: 'output', action, types: { EMAIL: 1 }, external: false }])
    expect(stated).toEqual([['p', 1, word, 1, 1]])
  })

  test('leaves one beside that of its payload', async () => {
    const acme = await tenantIn('detect')
    target.next(json(200, { found: 'ann@example.com' }))
    bodyOf(await acme.execute('find_contact', { payload }), 200)

    const [input, output] = await eventsOf(acme)

    expect([input?.direction, output?.direction]).toEqual(['input', 'output'])
    expect(input?.links).toContain(output?.links[0])
  })
})

test('what was found is counted, and held against the target pii_unblocked', async () => {
  const acme = await tenantIn('detect')
  const wanted = { metric: 'pii_unblocked', op: 'lte', value: 0 }
  const { version } = bodyOf(await acme.call(metrics.getTargets), 200)
  bodyOf(await acme.call(metrics.setTargets, { body: { targets: [wanted], version } }), 200)
  bodyOf(await acme.execute('get_contact', { payload }), 200)
  await acme.change({ pii_mode: 'block' })
  bodyOf(await acme.execute('get_contact', { payload: { phone: '+44 20 7946 0958' } }), 403)
  await local.drain()
  local.clock.moveTo(local.clock.now() + 120_000)
  await local.sweep()
  await local.drain()

  const { pii_events } = bodyOf(await acme.call(metrics.protocol), 200)
  const { targets } = bodyOf(await acme.call(metrics.overview), 200)

  expect(pii_events).toEqual({
    total: 4,
    by_type: { EMAIL: 3, PHONE: 1 },
    by_direction: { input: 4, output: 0, dataset: 0 },
    blocked: 1,
    redacted: 0,
  })
  expect(targets).toEqual([{ metric: 'pii_unblocked', op: 'lte', value: 3, target: 0, status: 'missed' }])
})
