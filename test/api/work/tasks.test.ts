import { beforeAll, describe, expect, test } from 'vitest'
import { users } from '../../../functions/users/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { type Person, personWith } from '../../support/people.ts'
import { type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
let member: Person
beforeAll(async () => {
  acme = await governed(local)
  owner = await signIn(local, acme.owner)
  member = await personWith(local, owner, ['member'])
})

type Caller = { call: Governed['call'] }
const idOf = ({ id }: { id: string }) => id
const create = async (body: object, who: Caller = acme) =>
  bodyOf(await who.call(work.createTask, { body: { title: 'Look', ...body } }), 201)
const change = (id: string, body: object, who: Caller = acme) => who.call(work.updateTask, { params: { id }, body })
const get = async (id: string) => bodyOf(await acme.call(work.getTask, { params: { id } }), 200)

describe('POST /api/v1/work/tasks', () => {
  test('201: a task begins open, with running clocks and evidence', async () => {
    const task = await create({ description: 'Why?', labels: ['refunds', 'refunds'], checklist: [{ text: 'Read' }] })

    expect(task).toMatchObject({
      id: expect.stringMatching(/^tsk_/),
      tenant_id: acme.tenant_id,
      kind: 'general',
      status: 'open',
      priority: 'medium',
      assignee: null,
      labels: ['refunds'],
      checklist: [{ text: 'Read', done: false }],
      version: 1,
      sla: { policy_id: 'sla_default', status: 'active', breaches: [], escalated: [] },
    })
    expect(task).not.toHaveProperty('mode')
    expect(await get(task.id)).toEqual({ ...task, notes: [] })
  })

  test('201: the request of a data subject is due in 30 days', async () => {
    const task = await create({ kind: 'dsr' })
    expect(Math.round((Date.parse(task.due_at) - Date.parse(task.created_at)) / 86_400_000)).toBe(30)
  })

  test.each([
    ['a kind that an area makes', { kind: 'breach_notification' }, 'kind'],
    ['a parent that does not exist', { parent_id: 'tsk_missing' }, 'parent_id'],
    ['an execution as its source', { source: { type: 'execution', id: 'exe_missing' } }, 'type'],
    ['an approval as the source of another kind', { source: { type: 'approval', id: 'apr_missing' } }, 'source'],
    ['an approval that does not exist', { kind: 'approval', source: { type: 'approval', id: 'apr_missing' } }, 'id'],
    ['a person who does not exist', { assignee: { type: 'human', id: 'missing' } }, 'id'],
    ['an AI worker who does not exist', { assignee: { type: 'ai', id: 'wrk_missing' } }, 'id'],
    ['a group that does not exist', { assignee: { type: 'team', id: 'missing' } }, 'id'],
  ])('422: %s', async (_, body, at) => {
    const refused = bodyOf(await acme.call(work.createTask, { body: { title: 'Look', ...body } }), 422)
    expect(refused.detail[0].loc.at(-1)).toBe(at)
  })
})

describe('PATCH /api/v1/work/tasks/{id}', () => {
  test('200: a task goes on, is noted on, and ends with a hit', async () => {
    const { id } = await create({})
    bodyOf(await change(id, { status: 'in_progress', note: 'I look into it.' }, owner), 200)
    const done = bodyOf(await change(id, { status: 'completed', resolution: 'fixed' }, owner), 200)

    expect(done).toMatchObject({ status: 'completed', resolution: 'fixed', comments_count: 1, version: 3 })
    expect(done.sla).toMatchObject({ status: 'hit', resolution_due_at: null })
    expect(await get(id)).toMatchObject({ notes: [{ text: 'I look into it.', by: { type: 'user' } }] })
  })

  test('200: what changes nothing leaves no trace', async () => {
    const { id } = await create({ priority: 'high' })
    expect(bodyOf(await change(id, { priority: 'high' }), 200)).toMatchObject({ version: 1 })
  })

  test('200: no clock runs while a task is blocked', async () => {
    const { id } = await create({})
    const blocked = bodyOf(await change(id, { status: 'blocked' }), 200)
    expect(blocked.sla).toMatchObject({ running_since: null, resolution_due_at: null })
    const going = bodyOf(await change(id, { status: 'in_progress' }), 200)
    expect(going.sla.resolution_due_at).not.toBeNull()
  })

  test('409: a move that the states do not have', async () => {
    const { id } = await create({})
    expect(bodyOf(await change(id, { status: 'in_review' }), 409).detail).toContain('from open to in_review')
  })

  test('409: another version than the present one', async () => {
    const { id } = await create({})
    bodyOf(await change(id, { priority: 'low', version: 1 }), 200)
    expect(bodyOf(await change(id, { priority: 'high', version: 1 }), 409).code).toBe('version_conflict')
  })

  test('409: what ended more than 30 days ago stays so', async () => {
    const { id } = await create({})
    bodyOf(await change(id, { status: 'cancelled' }), 200)
    local.clock.moveTo(local.clock.now() + 30 * 86_400_000 - 60_000)
    const again = bodyOf(await change(id, { status: 'open' }), 200)
    expect(again.sla.status).toBe('active')
    bodyOf(await change(id, { status: 'cancelled' }), 200)
    local.clock.moveTo(local.clock.now() + 30 * 86_400_000 + 1)
    bodyOf(await change(id, { status: 'open' }), 409)
  })

  test('404: another tenant’s task looks exactly like a missing one', async () => {
    const { id } = await create({})
    const other = await governed(local)
    const foreign = await other.call(work.updateTask, { params: { id }, body: { note: 'mine' } })
    expect(bodyOf(foreign, 404).detail).toBe('task not found')
  })
})

describe('whose a task is', () => {
  beforeAll(async () => {
    member = await personWith(local, await signIn(local, acme.owner), ['member'])
    owner = await signIn(local, acme.owner)
  })

  test('members change what they created or were given, and nothing else', async () => {
    const theirs = await create({}, member)
    const given = await create({ assignee: { type: 'human', id: member.user_id } })
    const others = await create({ assignee: null })

    bodyOf(await change(theirs.id, { note: 'mine' }, member), 200)
    bodyOf(await change(given.id, { status: 'in_progress' }, member), 200)
    bodyOf(await change(others.id, { note: 'not mine' }, member), 403)
  })

  test('who was demoted keeps neither a task of others nor the right to create one', async () => {
    const { id } = await create({ assignee: null })
    const admin = await personWith(local, owner, ['admin'])
    bodyOf(await change(id, { note: 'as an admin' }, admin), 200)
    await owner.call(users.setRoles, { params: { id: admin.user_id }, body: { roles: ['member'] } })
    bodyOf(await change(id, { note: 'as a member' }, admin), 403)
    await owner.call(users.setRoles, { params: { id: admin.user_id }, body: { roles: ['billing'] } })
    bodyOf(await admin.call(work.createTask, { body: { title: 'Look' } }), 403)
  })
})

describe('GET /api/v1/work/tasks', () => {
  test('lists by status, priority, kind, source and assignee, newest first', async () => {
    const other = await governed(local)
    const her = await signIn(local, other.owner)
    const list = async (query: object, who: Caller = other) =>
      bodyOf(await who.call(work.listTasks, { query: { ...query } }), 200)
    const first = await create({ priority: 'low', kind: 'dsr' }, other)
    const second = await create({ source: { type: 'ticket', id: 'T-1' } }, other)
    const third = await create({ assignee: { type: 'human', id: her.user_id } }, other)
    bodyOf(await change(second.id, { status: 'in_progress' }, other), 200)

    expect((await list({})).items.map(idOf)).toEqual([third.id, second.id, first.id])
    expect((await list({ status: 'in_progress' })).items.map(idOf)).toEqual([second.id])
    expect((await list({ priority: 'low' })).items.map(idOf)).toEqual([first.id])
    expect((await list({ kind: 'dsr' })).items.map(idOf)).toEqual([first.id])
    expect((await list({ source_id: 'T-1' })).items.map(idOf)).toEqual([second.id])
    expect((await list({ assignee: 'me' }, her)).items.map(idOf)).toEqual([third.id])
    expect((await list({ assignee: 'me' })).items).toEqual([])
    expect((await list({ assignee: her.user_id, status: 'completed' })).items).toEqual([])
    const page = await list({ limit: 2 })
    expect(page).toMatchObject({ total: 3, has_more: true })
    expect((await list({ limit: 2, cursor: page.next_cursor })).items.map(idOf)).toEqual([first.id])
  })
})
