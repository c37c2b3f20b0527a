import { beforeAll, describe, expect, test } from 'vitest'
import { keys } from '../../../functions/keys/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { type Person, personWith } from '../../support/people.ts'
import { type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let owner: SignedIn
/** Each test has a tenant of its own, since workers take whatever comes. */
const fresh = async () => {
  acme = await governed(local)
  owner = await signIn(local, acme.owner)
}
beforeAll(fresh)

const register = (body: object) => owner.call(work.registerWorker, { body: { name: 'Worker', ...body } })
const human = async (person: { user_id: string }, body: object = {}) =>
  bodyOf(await register({ type: 'human', user_id: person.user_id, ...body }), 201)
const create = async (body: object = {}) =>
  bodyOf(await acme.call(work.createTask, { body: { title: 'Look', ...body } }), 201)
const change = (id: string, body: object, who: { call: Governed['call'] } = owner) =>
  who.call(work.updateTask, { params: { id }, body })
const list = async () => bodyOf(await owner.call(work.listWorkers, {}), 200).items
const loadOf = async (id: string) => (await list()).find((worker: { id: string }) => worker.id === id)?.load

const SCOPES = ['governance:read', 'governance:write', 'agent:execute']
const botKey = async (agent_id: string, kind = 'live') =>
  bodyOf(await owner.call(keys.create, { body: { name: 'Bot', kind, scopes: SCOPES, agent_id } }), 201)
async function bot(agent_id: string, body: object = {}) {
  const key = await botKey(agent_id)
  const worker = bodyOf(await register({ type: 'ai', agent: { agent_id, api_key_id: key.id }, ...body }), 201)
  return { key, worker }
}

describe('POST /api/v1/work/workers', () => {
  test('201: a person, once', async () => {
    const worker = await human(owner, { skills: ['refunds'] })
    expect(worker).toMatchObject({ type: 'human', load: 0, capacity: 10, status: 'active', version: 1 })
    expect(worker.stats).toEqual({ completed_30d: 0, median_seconds: null, sla_hit_rate: null, trust: null })
    bodyOf(await register({ type: 'human', user_id: owner.user_id }), 409)
  })

  test('201: an agent, once for each key, offline until it asks for work', async () => {
    const { key, worker } = await bot('agt_sorter')
    expect(worker).toMatchObject({ type: 'ai', status: 'offline', max_tier: 'AUTO', last_seen_at: null })
    bodyOf(await register({ type: 'ai', agent: { agent_id: 'agt_sorter', api_key_id: key.id } }), 409)

    bodyOf(await acme.as({ key: key.key }).call(work.listTasks, { query: { assignee: 'me' } }), 200)
    expect((await list()).find(({ id }: { id: string }) => id === worker.id)).toMatchObject({ status: 'active' })
    local.clock.moveTo(local.clock.now() + 16 * 60_000)
    owner = await signIn(local, acme.owner)
    expect((await list()).find(({ id }: { id: string }) => id === worker.id)).toMatchObject({ status: 'offline' })
  })

  test('422: nobody, a key of another agent, a key of the sandbox', async () => {
    const { id } = await botKey('agt_one')
    const sandbox = await botKey('agt_two', 'test')
    for (const body of [
      { type: 'human' },
      { type: 'human', user_id: 'missing' },
      { type: 'ai' },
      { type: 'ai', user_id: owner.user_id },
      { type: 'ai', agent: { agent_id: 'agt_two', api_key_id: id } },
      { type: 'ai', agent: { agent_id: 'agt_two', api_key_id: sandbox.id } },
    ])
      bodyOf(await register(body), 422)
  })
})

describe('a task that names nobody', () => {
  test('goes to whoever has the skills and least to do', async () => {
    await fresh()
    const one = await personWith(local, owner, ['member'])
    const two = await personWith(local, owner, ['member'])
    await human(one, { skills: ['refunds', 'vip'], capacity: 1 })
    await human(two, { skills: ['refunds'], capacity: 2 })

    expect((await create({ labels: ['vip'] })).assignee).toEqual({ type: 'human', id: one.user_id })
    expect((await create({ labels: ['vip'] })).assignee).toBeNull() // who could is full
    expect((await create({ labels: ['refunds'] })).assignee).toEqual({ type: 'human', id: two.user_id })
    expect((await create({ labels: ['dancing'] })).assignee).toBeNull()
    expect((await create({ assignee: null })).assignee).toBeNull()
  })

  test('goes to no agent where only a person may have it', async () => {
    await fresh()
    const { worker, key } = await bot('agt_sorter', { max_tier: 'HARD' })
    const { approval } = await acme.held()
    const decision = { kind: 'approval', source: { type: 'approval', id: approval.id } }
    const assignee = { type: 'ai', id: worker.id }

    bodyOf(await owner.call(work.createTask, { body: { title: 'Decide', ...decision, assignee } }), 422)
    const task = await create(decision)
    expect(task.assignee).toBeNull()
    bodyOf(await change(task.id, { assignee }), 422)
    bodyOf(await change(task.id, { note: 'I decide' }, acme.as({ key: key.key })), 403)
    expect((await create()).assignee).toEqual(assignee)
  })

  test('never fills a worker beyond what they take, however many come at once', async () => {
    await fresh()
    const worker = await human(owner, { capacity: 7 })
    const all = await Promise.all(Array.from({ length: 50 }, () => create()))

    expect(all.filter(({ assignee }) => assignee !== null)).toHaveLength(7)
    expect(await loadOf(worker.id)).toBe(7)
  })
})

describe('the load of a worker', () => {
  test('goes with each of their tasks until it ends, and comes back with it', async () => {
    await fresh()
    const worker = await human(owner, { capacity: 1 })
    const task = await create()
    expect(await loadOf(worker.id)).toBe(1)
    bodyOf(await change(task.id, { status: 'completed' }), 200)
    expect(await loadOf(worker.id)).toBe(0)

    const next = await create()
    bodyOf(await change(task.id, { status: 'open' }), 409) // there is no room for it
    bodyOf(await change(next.id, { assignee: null }), 200)
    bodyOf(await change(task.id, { status: 'open' }), 200)
    expect(await loadOf(worker.id)).toBe(1)
    bodyOf(await change(next.id, { assignee: { type: 'human', id: owner.user_id } }), 409)
  })

  test('is told with what they have done', async () => {
    await fresh()
    const worker = await human(owner)
    for (let count = 0; count < 2; count += 1) {
      const { id } = await create()
      bodyOf(await change(id, { status: 'completed' }), 200)
    }
    const [shown] = await list()
    expect(shown).toMatchObject({ id: worker.id, load: 0, stats: { completed_30d: 2, sla_hit_rate: 1, trust: null } })
  })

  test('is told of an agent with its trust, which is that of decisions', async () => {
    await fresh()
    const { key } = await bot('agt_reader')
    expect((await list())[0].stats.trust).toMatchObject({ trust: 50, executions: 0, first_at: null, days_known: 0 })
    for (let count = 0; count < 3; count += 1) bodyOf(await acme.execute('get_contact', {}, { key: key.key }), 200)
    await local.drain()

    const [{ stats }] = await list()
    expect(stats.trust).toMatchObject({ executions: 3, failed: 0, days_known: 1 })
    expect(stats.trust.trust).toBeGreaterThan(50)
  })
})

describe('who still gets tasks', () => {
  let leaver: Person
  test('nobody whose access has ended: what they had goes back, and they get nothing new', async () => {
    await fresh()
    leaver = await personWith(local, owner, ['member'])
    const worker = await human(leaver)
    const task = await create()
    const mine = bodyOf(await leaver.call(work.createTask, { body: { title: 'Mine', assignee: null } }), 201)
    expect(task.assignee).toEqual({ type: 'human', id: leaver.user_id })

    const events = await acme.told(async () =>
      bodyOf(await owner.call(users.delete, { params: { id: leaver.user_id } }), 200, 204),
    )
    const gone = events.find(({ type }) => type === 'user.deprovisioned')
    expect(gone?.data).toMatchObject({ tasks_reassigned: 1 })
    const look = async (id: string) => bodyOf(await acme.call(work.getTask, { params: { id } }), 200)
    expect(await look(task.id)).toMatchObject({ assignee: null, status: 'open' })
    expect(await look(mine.id)).toMatchObject({ created_by: { type: 'user', id: leaver.user_id } })
    expect(await loadOf(worker.id)).toBe(0)

    expect((await create()).assignee).toBeNull()
    expect((await list())[0]).toMatchObject({ status: 'paused' })
    bodyOf(await change(task.id, { assignee: { type: 'human', id: leaver.user_id } }), 422)
    bodyOf(await owner.call(work.updateWorker, { params: { id: worker.id }, body: { status: 'active' } }), 409)
  })

  test('a task that is opened again goes to nobody who has left since', async () => {
    await fresh()
    const person = await personWith(local, owner, ['member'])
    const task = await create({ assignee: { type: 'human', id: person.user_id } })
    bodyOf(await change(task.id, { status: 'completed' }), 200)
    bodyOf(await owner.call(users.delete, { params: { id: person.user_id } }), 200, 204)
    expect(bodyOf(await change(task.id, { status: 'open' }), 200)).toMatchObject({ status: 'open', assignee: null })
  })

  test('no agent whose key is revoked: it is paused when the next task comes', async () => {
    await fresh()
    const { key, worker } = await bot('agt_sorter')
    const task = await create()
    expect(task.assignee).toEqual({ type: 'ai', id: worker.id })
    const asBot = acme.as({ key: key.key })
    bodyOf(await change(task.id, { status: 'in_progress' }, asBot), 200)
    bodyOf(await owner.call(keys.revoke, { params: { id: key.id } }), 200, 204)

    bodyOf(await change(task.id, { status: 'completed' }, asBot), 401)
    expect((await create()).assignee).toBeNull()
    expect((await list())[0]).toMatchObject({ status: 'paused' })
  })

  test('a worker who is paused by hand keeps what they have and gets nothing new', async () => {
    await fresh()
    const worker = await human(owner)
    const task = await create()
    const pause = { params: { id: worker.id }, body: { status: 'paused' } }
    bodyOf(await owner.call(work.updateWorker, pause), 200)
    expect((await create()).assignee).toBeNull()
    expect(bodyOf(await change(task.id, { status: 'in_progress' }), 200).assignee).toEqual(task.assignee)
  })
})

test('GET /api/v1/work/sla-policies lists those of the deployment', async () => {
  await fresh()
  const { items } = bodyOf(await owner.call(work.listSlaPolicies, {}), 200)
  expect(items.map(({ name }: { name: string }) => name)).toContain('approvals-hard')
  expect(items.at(-1)).toMatchObject({ name: 'default', is_default: true })
})
