import { describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { bodyOf, governed } from '../../support/governed.ts'
import { measured } from '../../support/measures.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

const BYTES = Buffer.byteLength('{"amount":5}')

/** Whose conduct it is. */
const KEY = expect.stringMatching(/^key:key_/)

/** Everything that happens is in the log before and afterwards. */
async function statedBy(ctx: Parameters<typeof measured>[0], happening: () => Promise<unknown>) {
  await local.drain()
  return measured(ctx, async () => {
    await happening()
    await local.drain()
  })
}

describe('a transition of an execution states', () => {
  test('decision and run of an AUTO action in its one commit', async () => {
    const tenant = await governed(local)

    const stated = await statedBy(tenant.ctx, () => tenant.execute('get_contact', { payload: { amount: 5 } }))

    expect(stated).toEqual([
      [
        ['d', 0, 0, expect.any(Number), 0, BYTES],
        ['r', 0, 0, expect.any(Number), 0, BYTES],
        ['k', 0],
      ],
    ])
  })

  test('the decision and the policy where one refuses', async () => {
    const tenant = await governed(local)
    const when = { field: 'action.kind', op: 'eq', value: 'read' }
    const { policy_id } = await tenant.policy({ name: 'no reading', effect: 'forbid', when, message: 'no' })

    expect(await statedBy(tenant.ctx, () => tenant.execute('get_contact', { payload: {} }))).toEqual([
      [
        ['d', 0, 2, expect.any(Number), 0, 2],
        ['h', policy_id, 0, 0, 0, 0, 0],
        ['k', 5],
      ],
    ])
  })

  test('that it was undone', async () => {
    const tenant = await governed(local)
    const { request_id } = bodyOf(await tenant.execute('update_contact'), 200).receipt

    const stated = await statedBy(tenant.ctx, async () => bodyOf(await tenant.undo(request_id), 200))

    expect(stated).toEqual([
      [
        ['u', 1],
        ['k', 4, KEY],
      ],
    ])
  })

  test('that approval was asked for, and how long the vote took', async () => {
    const tenant = await governed(local)
    const asked = await statedBy(tenant.ctx, () => tenant.held('delete_contact', { payload: {} }))
    const { approval } = await tenant.held()
    local.clock.moveTo(local.clock.now() + 90_000)

    expect(asked).toEqual([[['d', 2, 1, expect.any(Number), 0, 2], ['a']]])
    expect(await statedBy(tenant.ctx, () => tenant.approve(approval.id))).toEqual([
      [
        ['e', 0, 90, 1],
        ['k', 1, KEY],
        ['r', 0, 2, null, 0, expect.any(Number)],
        ['k', 0, KEY],
      ],
    ])
  })

  test('that a person rejected it', async () => {
    const tenant = await governed(local)
    const { approval } = await tenant.held()

    expect(await statedBy(tenant.ctx, () => tenant.reject(approval.id))).toEqual([
      [
        ['e', 1, 0, 1],
        ['k', 2, KEY],
      ],
    ])
  })

  test('that nobody decided in time', async () => {
    const tenant = await governed(local)
    await tenant.held()
    await local.sweep() // from here on, whatever falls due is met

    const stated = await statedBy(tenant.ctx, async () => {
      local.clock.moveTo(local.clock.now() + 25 * 3_600_000)
      await local.sweep()
    })

    expect(stated).toContainEqual([['e', 2, 25 * 3_600, 2]])
  })
})

test('a verification states whether the chain is valid', async () => {
  const tenant = await governed(local)

  expect(await statedBy(tenant.ctx, () => tenant.call(evidence.verify))).toEqual([
    [
      ['v', 1],
      ['w', expect.any(Number), expect.any(Number)],
    ],
  ])
})

describe('the node platform.metrics.custom', () => {
  const NODE = 'platform.metrics.custom'
  const push = (...metrics: object[]) => ({ node_id: NODE, action_id: 'push', payload: { metrics } })
  const one = { name: 'orders', good: 9, total: 10 }

  test('runs at once and states what was pushed', async () => {
    const tenant = await governed(local)

    const stated = await statedBy(tenant.ctx, async () => {
      expect(await tenant.execute('push', push(one))).toMatchObject({
        status: 200,
        body: { receipt: { routing_decision: { tier: 'AUTO' } } },
      })
    })

    expect(stated.flat()).toContainEqual(['c', 'orders', 9, 10])
  })

  test.each([
    ['more good events than events', { ...one, good: 11 }],
    ['a negative count', { ...one, good: -1 }],
    ['a name outside the alphabet', { ...one, name: 'Orders' }],
    ['a fraction', { ...one, total: 10.5 }],
  ])('422: %s', async (_, metric) => {
    const tenant = await governed(local)

    expect(await tenant.execute('push', push(metric))).toMatchObject({ status: 422 })
  })

  test('422: a 51st name; known names still count', async () => {
    const tenant = await governed(local)
    const named = (from: number, count: number) =>
      push(...Array.from({ length: count }, (_, index) => ({ ...one, name: `series_${from + index}` })))
    for (const [from, count] of [
      [0, 20],
      [20, 20],
      [40, 10],
    ] as const) {
      expect(await tenant.execute('push', named(from, count))).toMatchObject({ status: 200 })
    }

    expect(await tenant.execute('push', named(50, 1))).toMatchObject({ status: 422 })
    expect(await tenant.execute('push', named(49, 1))).toMatchObject({ status: 200 })
  })
})
