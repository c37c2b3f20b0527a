import { beforeAll, describe, expect, test } from 'vitest'
import { metrics } from '../../../functions/metrics/routes.ts'
import { PII_KEPT_MS, piiEvents } from '../../../shared/govern/governance/pii/event.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let other: Governed
/** An address inside the tenant, then one and an account that leave it. */
let ids: string[]
beforeAll(async () => {
  acme = await governed(local, [{ action_id: 'get_contact' }, { action_id: 'send_email' }])
  other = await governed(local)
  const inside = bodyOf(await acme.execute('get_contact', { payload: { note: 'ann@example.com' } }), 200)
  const payload = { to: 'ann@elsewhere.example', account: 'DE89370400440532013000' }
  const outside = await acme.held('send_email', { payload })
  ids = [inside, outside].map(({ receipt }) => receipt.request_id)
  bodyOf(await acme.execute('get_contact', { payload: { note: 'nothing' } }), 200)
})

type Query = Record<string, string>
const list = async (query: Query = {}, of: Governed = acme) =>
  bodyOf(await of.call(metrics.piiEvents, { query }), 200).items
const found = async (query: Query) =>
  (await list(query)).map(({ execution_id }: { execution_id: string }) => ids.indexOf(execution_id))

describe('GET /api/v1/metrics/pii-events', () => {
  test('200: what was found where, the newest first, without a value', async () => {
    const items = await list()

    expect(items).toMatchObject([
      { execution_id: ids[1], node_id: NODE_ID, direction: 'input', action: 'detected', external: true },
      { execution_id: ids[0], types: { EMAIL: 1 }, external: false, truncated: false },
    ])
    expect(JSON.stringify(items)).not.toMatch(/ann@|DE89/)
    expect(await list({}, other)).toEqual([])
  })

  test('200: of one type, direction, outcome, node or time', async () => {
    const [newest] = await list()
    const cases: [Query, number[]][] = [
      [{ type: 'IBAN' }, [1]],
      [{ type: 'EMAIL' }, [1, 0]],
      [{ type: 'PHONE' }, []],
      [{ direction: 'output' }, []],
      [{ action: 'detected' }, [1, 0]],
      [{ action: 'blocked' }, []],
      [{ external: 'true' }, [1]],
      [{ external: 'false' }, [0]],
      [{ node_id: 'crm.contacts.other' }, []],
      [{ end_at: newest.at }, [0]],
      [{ start_at: newest.at }, [1]],
    ]
    for (const [query, expected] of cases) expect(await found(query), JSON.stringify(query)).toEqual(expected)
  })

  test('400: what no filter takes', async () => {
    const wrong: Query[] = [{ type: 'SHOE_SIZE' }, { external: 'perhaps' }, { start_at: 'yesterday' }]
    for (const query of wrong) expect((await acme.call(metrics.piiEvents, { query })).status).toBe(400)
  })

  test('200: what is older than it is kept is not shown, though it may not be deleted yet', async () => {
    const at = new Date(local.clock.now() - PII_KEPT_MS - 1).toISOString()
    const [event] = await acme.ctx.table.getAll(
      piiEvents,
      ids.slice(0, 1).map((execution_id) => ({ ...acme.ctx.space, execution_id, direction: 'input' as const })),
    )
    if (!event) throw new Error('there is no event')
    await acme.ctx.table.update(piiEvents.key(event), { set: { at } })

    expect(await found({})).toEqual([1])
  })
})
