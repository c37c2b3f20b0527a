import { beforeAll, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
/** Newest first: three that wait, one each that was approved and rejected. */
const ids: string[] = []
beforeAll(async () => {
  acme = await governed(local, [
    { action_id: 'delete_contact' },
    { action_id: 'deploy_site' },
    { action_id: 'grant_access' },
  ])
  const key = await makeKey(acme, { agent_id: 'agt_support' })
  for (const action_id of ['delete_contact', 'delete_contact', 'deploy_site', 'grant_access', 'delete_contact']) {
    ids.unshift((await acme.held(action_id, {}, action_id === 'grant_access' ? { key } : {})).approval.id)
  }
  await acme.approve(ids[4] ?? '')
  await acme.reject(ids[3] ?? '')
})

const list = async (query: Record<string, string | number> = {}, key?: string) =>
  bodyOf(await acme.call(approvals.list, { query, key }), 200)
const placesOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => ids.indexOf(id))

describe('GET /api/v1/work/approvals', () => {
  test('200: what waits, newest first, without payloads', async () => {
    const page = await list()

    expect(page).toMatchObject({ total: 3, has_more: false, next_cursor: null })
    expect(placesOf(page)).toEqual([0, 1, 2])
    expect(page.items[0]).toMatchObject({ status: 'pending', action_id: 'delete_contact', kind: 'delete', votes: [] })
    for (const hidden of ['payload', 'payload_salt', 'persons', 'tenant_id'])
      expect(page.items[0]).not.toHaveProperty(hidden)
  })

  test.each([
    [{ status: 'approved' }, [4]],
    [{ status: 'rejected' }, [3]],
    [{ status: 'expired' }, []],
    [{ action_id: 'delete_contact' }, [0]],
    [{ kind: 'deploy' }, [2]],
    [{ agent_id: 'agt_support' }, [1]],
    [{ node_id: 'crm.contacts.editor' }, [0, 1, 2]],
    [{ node_id: 'a.b.c' }, []],
    [{ sort: 'risk' }, [0, 2, 1]],
    [{ limit: 1, offset: 1 }, [1]],
  ])('200: filtered by %j', async (query, expected) => {
    const page = await list(query)

    expect(placesOf(page)).toEqual(expected)
    if (!('limit' in query)) expect(page.total).toBe(expected.length)
  })

  test('200: the riskiest of all that wait come first, page by page', async () => {
    const query = { sort: 'risk', limit: 2 }
    const first = await list(query)
    const second = await list({ ...query, cursor: first.next_cursor })

    expect([first, second].map(placesOf)).toEqual([[0, 2], [1]])
    expect(second).toMatchObject({ total: 3, has_more: false })
  })

  test('200: by cursor', async () => {
    const first = await list({ limit: 2 })
    const second = await list({ limit: 2, cursor: first.next_cursor })

    expect([first, second].flatMap(placesOf)).toEqual([0, 1, 2])
    expect(second).toMatchObject({ total: 3, has_more: false })
  })

  test.each([
    ['status', 'open'],
    ['kind', 'nonsense'],
    ['assignee', 'you'],
    ['sort', 'age'],
  ])('400: the query %s=%s is refused', async (name, value) => {
    expect(await acme.call(approvals.list, { query: { [name]: value } })).toMatchObject({ status: 400 })
  })

  test('200: what has expired waits for nobody, although nobody has closed it yet', async () => {
    const tenant = await governed(local)
    const { approval } = await tenant.held()
    local.clock.moveTo(Date.parse(approval.expires_at))

    expect((await tenant.call(approvals.list)).body).toMatchObject({ total: 0, items: [] })
  })
})

describe('GET /api/v1/work/approvals?assignee=me', () => {
  test('200: what the caller may decide: not their own, not what they voted on, not what others are asked', async () => {
    const tenant = await governed(local)
    const mine = (key: string) =>
      tenant.call(approvals.list, { query: { assignee: 'me' }, key }).then(({ body }) => body.total)
    await makeKey(tenant, { id: 'key_boss', created_by: 'usr_boss' })
    const boss = { stages: [{ groups: ['key:key_boss'] }] }
    const two = { stages: [{ groups: ['any'], min_approvals: 2 }] }
    await tenant.policy({
      name: 'boss',
      effect: 'require_approval',
      scope: { action_ids: ['get_contact'] },
      approval: boss,
    })
    await tenant.policy({
      name: 'two',
      effect: 'require_approval',
      scope: { action_ids: ['update_contact'] },
      approval: two,
    })
    await tenant.held('get_contact')
    const { approval } = await tenant.held('update_contact')
    await tenant.held('delete_contact')

    expect(await mine(tenant.live_key)).toBe(0)
    expect(await mine(tenant.approver_key)).toBe(2)
    await tenant.approve(approval.id)
    expect(await mine(tenant.approver_key)).toBe(1)
    await tenant.change({ require_human_approver: true })
    expect(await mine(tenant.approver_key)).toBe(0)
  })
})
