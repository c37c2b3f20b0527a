import * as client from 'openid-client'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { protocol } from '../../functions/protocol/routes.ts'
import { discovered, followClock, MACHINE, newClient } from '../support/oauth.ts'
import { executeBody, referenceTenant } from '../support/reference-action.ts'
import { counting, measure } from './measure.ts'
import { measureLimited } from './limited-paths.ts'
import { LIMITS, measurePaths } from './paths.ts'
import { useLocalStack } from '../support/use-local-stack.ts'

const local = useLocalStack({ embedded: true, plugins: [counting] })

describe('budgets', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  test('no hot path costs more calls, round trips or units than promised', async () => {
    const costs = await measurePaths(local)

    expect(Object.keys(costs)).toEqual(Object.keys(LIMITS))
    for (const [path, limit] of Object.entries(LIMITS)) {
      for (const [unit, most] of Object.entries(limit)) {
        const spent = costs[path]?.[unit as keyof typeof limit]
        expect(spent, `${unit} of ${path}`).toBeGreaterThan(0)
        expect(spent, `${unit} of ${path}`).toBeLessThanOrEqual(most)
      }
    }
    const units = (path: string) => costs[path]?.write_units ?? Number.NaN
    expect(units('execute AUTO, one limit') - units('execute AUTO, brokered'), 'of a counter').toBe(2)
  })

  test('a limit costs two units more, and a round trip only where others count in the same moment', async () => {
    const costs = await measureLimited(local)
    const { write_units: most } = costs['execute AUTO, one limit'] ?? { write_units: 0 }
    const spent = Object.values(costs).map(({ trips, write_units }) => [trips, write_units - most])

    expect(spent).toEqual([
      [2, 0],
      [2, 14],
      [3, -1],
      [3, 6],
    ])
  })

  test('a token of an OAuth client is checked in the call of the first reads, within the units of a key', async () => {
    followClock(local)
    const tenant = await referenceTenant(local)
    const made = await newClient(tenant, { ...MACHINE, scopes: ['agent:execute'] })
    const { access_token: key } = await client.clientCredentialsGrant(await discovered(local, made))
    const execute = async () => {
      const reply = await tenant.as({ key }).call(protocol.execute, { body: executeBody('AUTO') })
      if (reply.status !== 200) throw new Error(`execute answered ${JSON.stringify(reply.body)}`)
    }
    for (let n = 0; n < 4; n += 1) await execute()
    const cost = await measure(execute)

    expect(cost.by_command).toMatchObject({ BatchGetItemCommand: 1, TransactWriteItemsCommand: 1 })
    const limit = LIMITS['execute AUTO, brokered']
    for (const unit of ['calls', 'trips', 'write_units', 'read_units'] as const) {
      expect(cost[unit], unit).toBeLessThanOrEqual(limit?.[unit] ?? 0)
    }
  })
})
