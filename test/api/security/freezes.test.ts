// A freeze stops at once what it names, until a person lifts it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keys } from '../../../functions/keys/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { decideOn } from '../../../shared/govern/protocol/decide.ts'
import { loadInputs } from '../../../shared/govern/executions/inputs.ts'
import { ExecuteBody } from '../../../shared/govern/executions/request.ts'
import { submit } from '../../../shared/govern/protocol/submit.ts'
import { showFactor } from '../../support/factors.ts'
import { faults } from '../../support/faults.ts'
import { bodyOf, type Governed, governed, NODE_ID, requestOf } from '../../support/governed.ts'
import { heldCommit } from '../../support/held-commit.ts'
import { makeKey } from '../../support/keys.ts'
import { mailsTo } from '../../support/mailbox.ts'
import { oneFirst } from '../../support/one-first.ts'
import { personWith } from '../../support/people.ts'
import { type SignedIn, signIn } from '../../support/sign-in.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const { plugin: dying, die, restart } = faults()
const { plugin: holding, hold, watch } = heldCommit()
const local = useLocalStack({ plugins: [dying, holding] })
let target: TestTarget
let acme: Governed
let owner: SignedIn
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())
beforeEach(async () => {
  target.calls.length = 0
  acme = await governed(local, [
    { action_id: 'get_contact' },
    { action_id: 'update_contact', undo_action_id: 'restore_contact' },
    { action_id: 'restore_contact' },
    { action_id: 'update_note' },
    { action_id: 'delete_contact', target: { type: 'http', url: target.url } },
    { action_id: 'delete_note' },
  ])
  owner = await showFactor(local, await signIn(local, acme.owner))
})

const all = () => ({ params: { tenant_id: acme.tenant_id } })
const of = (freeze_id: string) => ({ params: { tenant_id: acme.tenant_id, freeze_id } })
const reason = 'It mailed the wrong customers.'
const freeze = async (scope: object = { tenant: true }) =>
  bodyOf(await acme.call(security.setFreeze, { ...all(), body: { scope, reason } }), 201)
const see = async (id: string) => bodyOf(await acme.call(security.getFreeze, of(id)), 200)
const lift = (id: string, by: object = { key: owner.access_token }) =>
  acme.call(security.liftFreeze, { ...of(id), ...by, body: { reason: 'It is mended.' } })
const frozen = (id: string) => ({
  status: 403,
  body: { status: 'rejected', code: 'frozen', detail: expect.stringContaining(id) },
})
const proofs = async (request_id: string): Promise<string[]> =>
  (await acme.look(request_id)).evidence.map(({ type }: { type: string }) => type)
const sweepLater = async (ms: number) => {
  local.clock.moveTo(local.clock.now() + ms)
  await local.sweep()
}

/** Until everything that happened so far is counted. */
async function counted() {
  await local.drain()
  await local.advance(130_000)
  await local.sweep()
}

describe('an address', () => {
  const ELSEWHERE = 'crm.contacts.elsewhere'
  const aimed = (url: string) => [{ action_id: 'get_contact', target: { type: 'http', url } }]
  const elsewhere = () => acme.execute('get_contact', { node_id: ELSEWHERE })

  test('403: of a frozen node is called under no other name, also of a node that is registered later', async () => {
    const { id } = await freeze({ node_ids: [NODE_ID] })
    await acme.register(aimed(`${target.url}/?again`), { id: ELSEWHERE })

    expect(await elsewhere()).toMatchObject(frozen(id))
    expect(target.calls).toEqual([])
    await acme.register(aimed(`${target.url}/other`), { id: ELSEWHERE, version: '1.0.1' })
    expect(await elsewhere()).toMatchObject({ status: 200 })
    expect(target.calls).toHaveLength(1)
  })

  test('403: at a frozen host is called by no node, and what was approved for it waits', async () => {
    await acme.register(aimed(target.url), { id: ELSEWHERE })
    const { approval } = await acme.held()
    const { id } = await freeze({ hosts: [new URL(target.url).hostname] })

    expect(await elsewhere()).toMatchObject(frozen(id))
    expect(await acme.execute('update_note')).toMatchObject({ status: 200 })
    expect(await acme.approve(approval.id)).toMatchObject({ status: 409, body: { code: 'frozen' } })
    expect(target.calls).toEqual([])
    expect(await lift(id)).toMatchObject({ status: 200 })
    expect(await elsewhere()).toMatchObject({ status: 200 })
  })
})

describe('POST /api/v1/security/tenants/{tenant_id}/freezes', () => {
  test('201: the next request is refused, with its receipt, its evidence and the name of the freeze', async () => {
    let id = ''
    const events = await acme.told(async () => {
      ;({ id } = await freeze({ node_ids: [NODE_ID] }))
    })
    const reply = await acme.execute('get_contact')

    expect(events.map(({ type }) => type)).toEqual(['evidence.emitted', 'policy.frozen'])
    expect(events[1]?.data).toMatchObject({ freeze_id: id, reason, scope: { tenant: false, node_ids: [NODE_ID] } })
    expect(reply).toMatchObject(frozen(id))
    expect(reply.body.receipt.policy_evaluations).toContainEqual({
      policy_id: `freeze:${id}`,
      result: 'forbid',
      basis: 'true',
      message: 'the actions of this node are frozen',
    })
    expect(await proofs(reply.body.receipt.request_id)).toEqual(['action.rejected'])
    await counted()
    expect(await see(id)).toMatchObject({ status: 'active', stopped: { executions: 1, undos: 0 }, waiting: 0 })
  })

  test('a policy that is saved meanwhile leaves it in force, and it supersedes no approval', async () => {
    const held = await acme.held('delete_note')
    const { id } = await freeze({ action_kinds: ['read'] })
    expect((await acme.approve(held.approval.id)).status).toBe(200)
    await acme.policy({ name: 'p', effect: 'require_undo' })

    expect(await acme.execute('get_contact')).toMatchObject(frozen(id))
  })

  test('it is written to the audit log, and mailed to owners and administrators', async () => {
    const admin = await personWith(local, owner, ['admin'])
    const { id } = await freeze()
    await local.drain()

    const { items } = bodyOf(await owner.call(security.auditLogs, all()), 200)
    expect(items).toContainEqual(expect.objectContaining({ action: 'policy.frozen', reason }))
    for (const { email } of [acme.owner, admin])
      expect(await mailsTo(local, email)).toContainEqual(
        expect.objectContaining({ kind: 'policy_frozen', text: expect.stringContaining(id) }),
      )
  })

  test('422: something that does not exist, which it would not stop', async () => {
    for (const scope of [{ node_ids: ['crm.contacts.missing'] }, { principals: ['key_missing'] }])
      expect(await acme.call(security.setFreeze, { ...all(), body: { scope, reason } })).toMatchObject({ status: 422 })
  })

  test('409: more than twenty, or more than every request can read', async () => {
    const agents = Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(80, 'x'))
    const set = (scope: object) => acme.call(security.setFreeze, { ...all(), body: { scope, reason } })
    await freeze({ agents })
    expect(await set({ agents })).toMatchObject({ status: 409, body: { detail: expect.stringContaining('too much') } })
    for (let more = 1; more < 20; more += 1) await freeze({ tenant: true })
    expect(await acme.call(security.setFreeze, { ...all(), body: { scope: { tenant: true }, reason } })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('20 freezes are in force') },
    })
  })

  test('who may: operators set and see it, members see it; in the other mode nothing is frozen', async () => {
    const operator = await personWith(local, owner, ['operator'])
    const member = await personWith(local, owner, ['member'])
    const set = (key: string) =>
      acme.call(security.setFreeze, { ...all(), key, body: { scope: { tenant: true }, reason } })

    expect((await set(member.access_token)).status).toBe(403)
    const { id } = bodyOf(await set(operator.access_token), 201)
    for (const { access_token: key } of [operator, member])
      expect(bodyOf(await acme.call(security.listFreezes, { ...all(), key }), 200).items).toMatchObject([{ id }])
    expect((await lift(id, { key: operator.access_token })).status).toBe(403)
    const other = bodyOf(await acme.call(security.listFreezes, { ...all(), key: acme.test_key }), 200)
    expect(other.items).toEqual([])
  })
})

test('GET …/freezes?status= lists those in force, or those lifted', async () => {
  const [one, two] = [await freeze({ action_kinds: ['deploy'] }), await freeze({ action_kinds: ['payment'] })]
  await lift(one.id)
  const list = async (query: Record<string, string>) =>
    bodyOf(await acme.call(security.listFreezes, { ...all(), query }), 200).items.map(({ id }: { id: string }) => id)

  expect(await list({})).toEqual([two.id, one.id])
  expect(await list({ status: 'active' })).toEqual([two.id])
  expect(await list({ status: 'lifted' })).toEqual([one.id])
})

test('a freeze by agent also stops keys that may say any name, and says which', async () => {
  const scopes = ['governance:read', 'agent:execute']
  const made = async (name: string, agent_id?: string) =>
    bodyOf(await owner.call(keys.create, { body: { name, kind: 'live', scopes, agent_id } }), 201)
  const [bot, other, free] = [await made('bot', 'bot'), await made('other', 'other'), await made('free')]
  const { id, also_stops } = await freeze({ agents: ['bot'] })

  const named = also_stops.map((one: { id: string }) => one.id)
  expect(named).toContain(free.id)
  expect(named).not.toContain(bot.id)
  expect(named).not.toContain(other.id)
  expect(await acme.execute('get_contact', {}, { key: bot.key })).toMatchObject(frozen(id))
  expect(await acme.execute('get_contact', {}, { key: free.key })).toMatchObject(frozen(id))
  expect(await acme.execute('get_contact', {}, { key: other.key })).toMatchObject({ status: 200 })
  expect(await acme.execute('get_contact', {}, { key: owner.access_token })).toMatchObject({ status: 200 })
})

describe('POST …/freezes/{freeze_id}/lift', () => {
  test('200: a person with a fresh second factor; again 200; then actions run', async () => {
    const { id } = await freeze()
    const events = await acme.told(async () => {
      expect(await lift(id)).toMatchObject({ status: 200, body: { status: 'lifted', lift_reason: 'It is mended.' } })
    })

    expect(events.map(({ type }) => type)).toEqual(['evidence.emitted', 'policy.unfrozen'])
    expect((await acme.told(async () => expect((await lift(id)).status).toBe(200))).length).toBe(0)
    expect((await acme.execute('get_contact')).status).toBe(200)
  })

  test('403: a key, whatever its scopes, and a session whose factor is old', async () => {
    const { id } = await freeze()

    expect(await lift(id, { key: await makeKey(acme, { scopes: ['admin'] }) })).toMatchObject({ status: 403 })
    local.clock.moveTo(local.clock.now() + 11 * 60_000)
    expect(await lift(id)).toMatchObject({ status: 403, body: { detail: expect.stringContaining('second factor') } })
    expect(await see(id)).toMatchObject({ status: 'active' })
  })

  test('404: of another tenant, of the other mode, and of no form', async () => {
    const { id } = await freeze()
    const other = await governed(local)
    const params = { tenant_id: other.tenant_id, freeze_id: id }

    expect((await other.call(security.getFreeze, { params })).status).toBe(404)
    expect((await acme.call(security.getFreeze, { ...of(id), key: acme.test_key })).status).toBe(404)
    expect((await acme.call(security.getFreeze, of('frz_x'))).status).toBe(404)
  })
})

describe('what was decided before a freeze', () => {
  const submitted = async (ms: number, asked: object = {}, before: () => Promise<unknown> = freeze) => {
    const ctx = requestOf(acme, 'ada')
    const body = ExecuteBody.parse({ node_id: NODE_ID, action_id: 'get_contact', payload: {}, ...asked })
    const began = local.clock.now()
    const submission = await decideOn(ctx, await loadInputs(ctx.table, ctx.space, { body }), body)
    expect(submission.read_at).toBeGreaterThanOrEqual(began)
    await before()
    local.clock.moveTo(submission.read_at + ms)
    return (await submit(ctx, submission)).execution
  }

  test('is decided again when it is older', async () => {
    expect(await submitted(2_001)).toMatchObject({
      status: 'rejected',
      rejection: { policy_id: expect.stringMatching(/^freeze:frz_/) },
    })
  })

  test('is decided again for the same persona', async () => {
    const raise = () => acme.policy({ name: 'ask', effect: 'require_approval' })
    expect(await submitted(2_001, { policy_context: { persona_key: 'analyst' } }, raise)).toMatchObject({
      status: 'rejected',
      rejection: { policy_id: 'persona:analyst' },
    })
  })

  test('a hundred requests at once: none that begins after the freeze runs', async () => {
    const before = Array.from({ length: 50 }, () => acme.execute('get_contact'))
    const { id } = await freeze()
    const after = Array.from({ length: 50 }, () => acme.execute('get_contact'))

    for (const reply of await Promise.all(after)) expect(reply).toMatchObject(frozen(id))
    for (const { status } of await Promise.all(before)) expect([200, 403]).toContain(status)
  })
})

describe('what is held', () => {
  test.each(['delete_contact', 'delete_note'])(
    '%s: the deciding vote is not taken; a lift lets it',
    async (action_id) => {
      const { approval, receipt } = await acme.held(action_id)
      const { id } = await freeze()

      expect(await acme.approve(approval.id)).toMatchObject({ status: 409, body: { code: 'frozen' } })
      expect(await acme.approval(approval.id)).toMatchObject({ status: 'pending', votes: [] })
      expect(target.calls).toEqual([])
      await lift(id)
      expect(await acme.approve(approval.id)).toMatchObject({ status: 200 })
      expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'executed' })
    },
  )

  test('fifty times at once with the deciding vote: nothing runs that is frozen first', async () => {
    const ends = new Set<string>()
    for (let turn = 0; turn < 50; turn += 1) {
      const { approval, receipt } = await acme.held('delete_contact')
      const called = target.calls.length
      const committed = watch('policy.frozen', 'execution.started')
      const [vote, set] = await oneFirst({ turn, turns: 50 }, () => acme.approve(approval.id), freeze)
      const { status } = await acme.look(receipt.request_id)
      const ran = status === 'executed'

      if (ran) expect([vote.status, committed[0]]).toEqual([200, 'execution.started'])
      else expect([vote.status, status]).toEqual(vote.status === 409 ? [409, 'pending_approval'] : [200, 'approved'])
      expect(target.calls.length - called).toBe(ran ? 1 : 0)
      expect(committed.includes('execution.started')).toBe(ran)
      ends.add(status)
      await lift(set.id)
    }
    expect([...ends]).toEqual(expect.arrayContaining(['executed', 'pending_approval']))
    await sweepLater(5 * 60_000) // those that were approved before their freeze run now, in no other test
  })

  test('rejecting and cancelling work', async () => {
    const [one, other] = [await acme.held(), await acme.held()]
    await freeze()

    expect((await acme.reject(one.approval.id)).status).toBe(200)
    const { request_id } = other.receipt
    expect((await acme.call(protocol.cancel, { params: { request_id }, body: {} })).status).toBe(200)
  })

  test.each([
    ['delete_contact', 'execution.started', 200],
    ['delete_note', 'approval.approved', 409],
  ])('%s: a freeze that comes before its commit stops it', async (action_id, commit, status) => {
    const { approval, receipt } = await acme.held(action_id)
    const arrived = hold(commit)
    const deciding = acme.approve(approval.id)
    const letGo = await arrived
    await freeze()
    letGo()

    expect(await deciding).toMatchObject({ status })
    expect(target.calls).toEqual([])
    expect((await acme.look(receipt.request_id)).status).toBe(status === 200 ? 'approved' : 'pending_approval')
  })
})

describe('what was approved and has not begun', () => {
  /** Approved by a process that died before its claim. */
  const approvedOnly = async () => {
    const held = await acme.held()
    die({ at: 1, lost: true, command: 'TransactWriteItemsCommand' })
    await acme.approve(held.approval.id)
    restart()
    return held
  }

  test('waits, is counted, and runs within five minutes after the lift', async () => {
    const { receipt } = await approvedOnly()
    const { id } = await freeze()
    await sweepLater(31_000)
    await sweepLater(60_000)

    expect(await see(id)).toMatchObject({ waiting: 1 })
    expect(target.calls).toEqual([])
    await lift(id)
    await sweepLater(5 * 60_000)
    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'executed' })
    expect(target.calls).toHaveLength(1)
  })

  test('is cancelled when its approval expires', async () => {
    const { approval, receipt } = await approvedOnly()
    await freeze()
    await sweepLater(31_000)
    local.clock.moveTo(Date.parse(approval.expires_at))
    const events = await acme.told(() => local.sweep())

    const rejected = events.filter(({ type }) => type === 'action.rejected')
    expect(rejected).toMatchObject([{ data: { rejection_method: 'expired' } }])
    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'cancelled' })
    expect(await acme.approval(approval.id)).toMatchObject({
      status: 'cancelled',
      method: 'expired',
      evidence_status: 'verified',
    })
    expect(target.calls).toEqual([])
  })

  test('a call that began is not repeated by the sweeper', async () => {
    acme = await governed(local, [
      { action_id: 'delete_contact', idempotency: true, target: { type: 'http', url: target.url } },
    ])
    const { approval, receipt } = await acme.held()
    die({ at: 2, lost: true, command: 'TransactWriteItemsCommand' })
    await acme.approve(approval.id)
    restart()
    const called = target.calls.length
    await freeze()
    await sweepLater(31_000)

    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'outcome_unknown' })
    expect(target.calls).toHaveLength(called)
  })
})

describe('an undo', () => {
  test.each(['update_contact', 'update_note'])('of %s is refused as well', async (action_id) => {
    const { receipt } = bodyOf(await acme.execute(action_id), 200)
    const { id } = await freeze()

    expect(await acme.undo(receipt.request_id)).toMatchObject({ status: 403, body: { code: 'frozen' } })
    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'executed', undo: { state: 'refused' } })
    await counted()
    expect(await see(id)).toMatchObject({ stopped: { executions: 0, undos: 1 } })
  })

  test('runs for a person who could lift the freeze and says why, and for nobody else', async () => {
    const { receipt } = bodyOf(await acme.execute('update_contact'), 200)
    const { request_id } = receipt
    await freeze()
    const undo = (key: string, body: object) => acme.call(protocol.undo, { key, params: { request_id }, body })
    const during = { during_freeze: true, reason: 'It must not stay.' }

    expect((await undo(acme.live_key, during)).status).toBe(403)
    expect((await undo(owner.access_token, { during_freeze: true })).status).toBe(422)
    expect(await undo(owner.access_token, during)).toMatchObject({ status: 200, body: { status: 'undone' } })
  })
})
