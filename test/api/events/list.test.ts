import { beforeEach, describe, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const DAY = 86_400_000

const local = useLocalStack()
let acme: TestTenant
beforeEach(async () => {
  acme = await local.tenant()
})

const act = async (as = acme) => {
  await as.call(agent.execute, { body: { tier: 'AUTO', command: 'list open tickets' } })
  await local.drain()
}
const pull = (query: Record<string, string | number> = {}, as: { call: TestTenant['call'] } = acme) =>
  as.call(events.list, { query })
type Item = { id: string; type: string }
const typesOf = (items: Item[]) => items.map(({ type }) => type)

/** Everything from a cursor on, in pages. */
async function walk(query: Record<string, string | number>): Promise<{ items: Item[]; pages: number }> {
  const items: Item[] = []
  for (let [cursor, pages] = ['', 1]; ; pages += 1) {
    const { body } = await pull({ ...query, ...(cursor && { cursor }) })
    items.push(...body.items)
    if (!body.has_more) return { items, pages }
    cursor = body.next_cursor
  }
}

describe('GET /api/v1/events', () => {
  test('200: every event once and in order, whatever the size of a page', async () => {
    await act()
    await act()
    const { body } = await pull({ limit: 200 })

    expect(body).toMatchObject({ total: body.items.length, has_more: false, next_cursor: expect.any(String) })
    expect(typesOf(body.items)).toEqual(
      expect.arrayContaining(['evidence.emitted', 'action.requested', 'protocol.executed', 'user.created']),
    )
    for (const limit of [1, 7]) {
      const walked = await walk({ limit })
      expect(walked.items).toEqual(body.items)
      expect(walked.pages).toBe(Math.ceil(body.items.length / limit))
    }
  })

  test('200: whoever keeps asking with the last cursor gets what happened since', async () => {
    const { body: first } = await pull({ limit: 200 })
    const { body: idle } = await pull({ cursor: first.next_cursor })
    await act()
    const { body: then } = await pull({ cursor: idle.next_cursor })

    expect(idle).toMatchObject({ items: [], has_more: false, total: first.total })
    expect(then.items.length).toBeGreaterThan(3)
    expect(then.total).toBe(first.total + then.items.length)
  })

  test('200: from=now begins at the end', async () => {
    await act()
    const { body: now } = await pull({ from: 'now' })
    await act()
    const { body: then } = await pull({ from: 'now', cursor: now.next_cursor })

    expect(now).toMatchObject({ items: [], has_more: false })
    expect(now.total).toBeGreaterThan(0)
    expect(then.items.length).toBeGreaterThan(3)
  })

  test('200: chosen types only, one of them by its alias; the total stays that of all', async () => {
    await act()
    const { body } = await pull({ types: 'protocol.executed,subscription.cancelled' })

    expect(new Set(typesOf(body.items))).toEqual(new Set(['protocol.executed']))
    expect(body.total).toBeGreaterThan(body.items.length)
    expect(body.has_more).toBe(false)
  })

  test('200: people are left out for a key that reads executions only', async () => {
    const reader = acme.as({ key: await makeKey(acme, { scopes: ['governance:read', 'evidence:read'] }) })
    await act()
    const { body } = await pull({ limit: 200 }, reader)

    expect(typesOf(body.items)).toContain('protocol.executed')
    expect(typesOf(body.items)).not.toContain('user.created')
  })

  test('200: a sandbox and another tenant have logs of their own', async () => {
    await act()
    const other = await local.tenant()
    await local.drain()

    expect((await pull({}, acme.as('sandbox'))).body).toMatchObject({ items: [], total: 0 })
    const { body } = await pull({ limit: 200 }, other)
    expect(body.items.every((item: { tenant_id: string }) => item.tenant_id === other.tenant_id)).toBe(true)
  })

  test('400: cursor expired, once events behind it are no longer retained', async () => {
    await act()
    const { body: first } = await pull({ limit: 1 })
    const { body: all } = await pull({ limit: 200 })
    local.clock.moveTo(local.clock.now() + 31 * DAY)
    await act()

    expect(await pull({ cursor: first.next_cursor })).toMatchObject({
      status: 400,
      body: { detail: 'The cursor has expired. Start again without a cursor.', code: 'invalid_cursor' },
    })
    expect((await pull({ cursor: all.next_cursor })).body.items.length).toBeGreaterThan(3)
    expect((await pull()).body).toMatchObject({ total: (await pull({ limit: 200 })).body.items.length })
  })

  test('400: a cursor belongs to its types, its tenant and its mode', async () => {
    const { next_cursor: cursor } = (await pull()).body
    const refused = {
      status: 400,
      body: { detail: 'The cursor is not valid for this list. Start again without a cursor.', code: 'invalid_cursor' },
    }

    expect(await pull({ cursor, types: 'action.approved' })).toMatchObject(refused)
    expect(await pull({ cursor }, acme.as('sandbox'))).toMatchObject(refused)
    expect(await pull({ cursor }, await local.tenant())).toMatchObject(refused)
    expect(await pull({ cursor: `${cursor}x` })).toMatchObject(refused)
  })

  test.each(['types=no.such', 'types=', 'types=__proto__', 'from=yesterday', 'limit=0'])(
    '400: the query %s is refused',
    async (query) => {
      expect(await pull(Object.fromEntries(new URLSearchParams(query)))).toMatchObject({
        status: 400,
        body: { code: 'malformed' },
      })
    },
  )

  test('403: naming a type that the key may not read', async () => {
    const reader = acme.as({ key: await makeKey(acme, { scopes: ['governance:read'] }) })

    expect(await pull({ types: 'user.login' }, reader)).toMatchObject({ status: 403, body: { code: 'forbidden' } })
  })
})
