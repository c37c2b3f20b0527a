import { beforeAll, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
/** Newest first. */
const ids: string[] = []
beforeAll(async () => {
  acme = await governed(local)
  const key = await makeKey(acme, { agent_id: 'agt_support' })
  for (const action_id of ['get_contact', 'update_contact', 'get_contact', 'delete_contact', 'get_contact']) {
    const by = ids.length === 2 ? { key } : {}
    ids.unshift((await acme.execute(action_id, {}, by)).body.receipt.request_id)
  }
  await local.drain()
})

const list = async (query: Record<string, string | number> = {}) =>
  bodyOf(await acme.call(protocol.listExecutions, { query }), 200)
const idsOf = ({ items }: { items: { request_id: string }[] }) => items.map(({ request_id }) => request_id)

describe('GET /api/v1/protocol/executions', () => {
  test('200: newest first, with what a list needs and no payload', async () => {
    const page = await list()

    expect(page).toMatchObject({ total: 5, has_more: false, next_cursor: null })
    expect(idsOf(page)).toEqual(ids)
    expect(page.items[1]).toEqual({
      request_id: ids[1],
      status: 'pending_approval',
      node_id: 'crm.contacts.editor',
      action_id: 'delete_contact',
      version: '1.0.0',
      requested_by: { type: 'api_key', id: expect.stringMatching(/^key_/) },
      tier: 'HARD',
      kind: 'delete',
      approval_id: expect.stringMatching(/^apr_/),
      evidence_artifact_id: expect.stringMatching(/^art_/),
    })
  })

  test.each([
    [{ status: 'pending_approval' }, [1]],
    [{ action_id: 'get_contact' }, [0, 2, 4]],
    [{ action_id: 'get_contact', status: 'failed' }, []],
    [{ agent_id: 'agt_support' }, [2]],
    [{ node_id: 'a.b.c' }, []],
  ])('200: filtered by %j, with the total of what fits', async (query, expected) => {
    const page = await list(query)

    expect(idsOf(page)).toEqual(expected.map((at) => ids[at]))
    expect(page.total).toBe(expected.length)
  })

  test('200: by cursor and by offset', async () => {
    const first = await list({ limit: 2 })
    const second = await list({ limit: 2, cursor: first.next_cursor })
    const third = await list({ limit: 2, cursor: second.next_cursor })

    expect([first, second, third].flatMap(idsOf)).toEqual(ids)
    expect(third).toMatchObject({ total: 5, has_more: false })
    expect(await list({ limit: 2, offset: 3 })).toMatchObject({ total: 5, limit: 2, offset: 3 })
    expect(idsOf(await list({ limit: 2, offset: 3 }))).toEqual(ids.slice(3))
  })

  test('200: goes back over the months to the founding of the tenant', async () => {
    const later = await governed(local)
    const old = (await later.execute('get_contact')).body.receipt.request_id
    local.clock.moveTo(local.clock.now() + 85 * 86_400_000)
    const young = (await later.execute('get_contact')).body.receipt.request_id
    const page = await later.call(protocol.listExecutions)

    expect(idsOf(page.body)).toEqual([young, old])
  })

  test('400: an unknown status', async () => {
    expect(await acme.call(protocol.listExecutions, { query: { status: 'done' } })).toMatchObject({ status: 400 })
  })
})
