// What was approved is judged once more when it is claimed, with what is in force then and with what is known of the request
// that asked for it.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { keys } from '../../../functions/keys/routes.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { faults } from '../../support/faults.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { heldCommit } from '../../support/held-commit.ts'
import { oneFirst } from '../../support/one-first.ts'
import { personWith } from '../../support/people.ts'
import { signIn } from '../../support/sign-in.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const { plugin: dying, die, restart } = faults()
const { plugin: holding, hold, watch } = heldCommit()
const local = useLocalStack({ plugins: [dying, holding] })
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())
const to = () => ({ type: 'http', url: target.url })
const actions = (more: object = {}) => [
  { action_id: 'delete_contact', target: to(), ...more },
  { action_id: 'delete_note' },
]
beforeEach(async () => {
  target.calls.length = 0
  acme = await governed(local, actions())
})

type Held = { approval: { id: string }; receipt: { request_id: string } }
const HOUR = 3_600_000
const forbid = (more: object = {}) => acme.policy({ name: 'stop', effect: 'forbid', message: 'no more', ...more })
const proofs = async ({ receipt }: Held): Promise<string[]> =>
  (await acme.look(receipt.request_id)).evidence.map(({ type }: { type: string }) => type)
const sweepLater = async () => {
  local.clock.moveTo(local.clock.now() + 31_000)
  await local.sweep()
}

/** Approved by a process that died before its claim. */
async function approvedOnly(action_id = 'delete_contact'): Promise<Held> {
  const held = await acme.held(action_id)
  die({ at: 1, lost: true, command: 'TransactWriteItemsCommand' })
  await acme.approve(held.approval.id)
  restart()
  return held
}

describe('a prohibition that stands before the claim', () => {
  // The text of the commit that would let the action run: a claim, or the deciding vote of a brokered action.
  test.each([
    ['delete_contact', 'execution.started', 'cancelled'],
    ['delete_note', 'approval.approved', 'rejected'],
  ])('of %s is never overtaken, however late it comes', async (action_id, commit, end) => {
    const held = await acme.held(action_id)
    const arrived = hold(commit)
    const deciding = acme.approve(held.approval.id)
    const letGo = await arrived
    await forbid()
    letGo()

    expect(await deciding).toMatchObject({
      status: 409,
      body: { detail: 'This approval is no longer valid: the policies changed. The action is now refused.' },
    })
    expect(target.calls).toEqual([])
    expect(await acme.look(held.receipt.request_id)).toMatchObject({ status: 'rejected', code: 'policy_rejected' })
    expect(await acme.approval(held.approval.id)).toMatchObject({ status: end, method: 'policy', reason: 'no more' })
  })

  test('is obeyed fifty times that it comes at once with the deciding vote', async () => {
    const ends = new Set<string>()
    let { policy_id, version } = await forbid({ scope: { action_ids: ['nothing'] } })
    for (let turn = 0; turn < 50; turn += 1) {
      const isBrokered = turn % 2 === 1
      const [action_id, lets] = isBrokered
        ? ['delete_note', 'approval.approved']
        : ['delete_contact', 'execution.started']
      const { approval, receipt } = await acme.held(action_id, { payload: { turn } })
      const called = target.calls.length
      const committed = watch('policy.updated', lets)
      const when = { field: 'payload./turn', op: 'eq', value: turn }
      const [reply, saved] = await oneFirst(
        { turn: Math.floor(turn / 2), turns: 25 },
        () => acme.approve(approval.id),
        () => forbid({ policy_id, version, when }),
      )
      version = saved.version
      const { status } = await acme.look(receipt.request_id)
      const ran = status === 'executed'

      expect([reply.status, status]).toEqual(ran ? [200, 'executed'] : [409, 'rejected'])
      expect([committed[0], committed.includes(lets)]).toEqual([ran ? lets : 'policy.updated', ran])
      expect(target.calls.length - called).toBe(ran && !isBrokered ? 1 : 0)
      ends.add(`${action_id} ${status}`)
    }
    expect(ends.size, 'each is first at times').toBe(4)
  })
})

test('a version that changes another action before the claim commits is read anew, and the action runs', async () => {
  const held = await acme.held()
  const arrived = hold('execution.started')
  const deciding = acme.approve(held.approval.id)
  const letGo = await arrived
  await acme.register([...actions(), { action_id: 'list_contacts' }], { version: '1.1.0' })
  letGo()

  expect(await deciding).toMatchObject({ status: 200, body: { execution: { status: 'executed' } } })
  expect(target.calls).toHaveLength(1)
})

test('a manifest that changes before the claim commits makes the request wait for a new approval', async () => {
  const held = await acme.held()
  const arrived = hold('execution.started')
  const deciding = acme.approve(held.approval.id)
  const letGo = await arrived
  await acme.register(actions({ description: 'Removes.' }), { version: '1.1.0' })
  letGo()

  expect(await deciding).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('the definition of the action changed') },
  })
  expect(await acme.look(held.receipt.request_id)).toMatchObject({ status: 'pending_approval' })
  expect(target.calls).toEqual([])
})

describe('what is judged anew', () => {
  const atNight = { when: { field: 'request.hour_utc', op: 'gte', value: 20 } }
  /** Half past a full hour of the next day. */
  const moveTo = (hour: number) => {
    const day = Math.ceil(local.clock.now() / (24 * HOUR)) * 24 * HOUR
    local.clock.moveTo(day + hour * HOUR + HOUR / 2)
  }

  test.each(['delete_contact', 'delete_note'])(
    '%s is refused at an hour at which it is forbidden',
    async (action_id) => {
      moveTo(19)
      await forbid(atNight)
      const held = await acme.held(action_id)
      local.clock.moveTo(local.clock.now() + HOUR)

      expect(await acme.approve(held.approval.id)).toMatchObject({
        status: 409,
        body: { detail: 'This approval is no longer valid: the action is now forbidden. The action is now refused.' },
      })
      expect(await acme.look(held.receipt.request_id)).toMatchObject({ status: 'rejected' })
      expect(target.calls).toEqual([])
    },
  )

  test('by the sweeper, too, which withdraws the approval', async () => {
    moveTo(19)
    await forbid(atNight)
    const held = await approvedOnly()
    local.clock.moveTo(local.clock.now() + HOUR)
    const events = await acme.told(() => local.sweep())

    expect(events.map(({ type }) => type)).toEqual(['evidence.emitted', 'action.rejected'])
    expect(await acme.approval(held.approval.id)).toMatchObject({ status: 'cancelled', method: 'policy' })
    expect(await proofs(held)).toEqual(['action.requested', 'approval.approved', 'approval.cancelled'])
    expect(target.calls).toEqual([])
  })

  test('by the sweeper: a key that was revoked asks for nothing any more', async () => {
    const owner = await signIn(local, acme.owner)
    const { body } = await owner.call(keys.create, {
      body: { name: 'k', kind: 'live', scopes: ['agent:execute'] },
    })
    const held = await acme.held('delete_contact', {}, { key: body.key })
    die({ at: 1, lost: true, command: 'TransactWriteItemsCommand' })
    await acme.approve(held.approval.id)
    restart()
    await owner.call(keys.revoke, { params: { id: body.id }, body: {} })
    const { moot } = await acme.approval(held.approval.id)
    await sweepLater()

    expect(moot).toBe('the API key that asked for it was revoked')
    expect(await acme.look(held.receipt.request_id)).toMatchObject({ status: 'rejected' })
    expect(await proofs(held)).toEqual(['action.requested', 'approval.approved', 'approval.cancelled'])
    expect(target.calls).toEqual([])
  })

  test('waits for more people at an hour at which more are asked', async () => {
    moveTo(19)
    const approval = { stages: [{ groups: ['any'], min_approvals: 2 }] }
    await acme.policy({ name: 'two at night', effect: 'require_approval', approval, ...atNight })
    const held = await acme.held()
    local.clock.moveTo(local.clock.now() + HOUR)

    expect(await acme.approve(held.approval.id)).toMatchObject({
      status: 409,
      body: {
        detail: expect.stringMatching(
          /^This approval is no longer valid: the policies now require more approval\. Decide approval apr_/,
        ),
      },
    })
    const { superseded_by } = await acme.approval(held.approval.id)
    expect(await acme.approval(superseded_by)).toMatchObject({ status: 'pending', stages: [{ min_approvals: 2 }] })
  })

  test('runs with the approval it has at an hour at which fewer are asked', async () => {
    moveTo(20)
    const approval = { stages: [{ groups: ['any'], min_approvals: 1 }, { groups: ['role:approver'] }] }
    await acme.policy({ name: 'more at night', effect: 'require_approval', approval, ...atNight })
    const held = await acme.held()
    const ben = await personWith(local, await signIn(local, acme.owner), ['approver'])
    await acme.approve(held.approval.id)
    moveTo(1)

    const { body } = await acme.approve(held.approval.id, {}, { key: (await signIn(local, ben)).access_token })
    expect(body).toMatchObject({ status: 'approved', execution: { status: 'executed' } })
  })

  test('is told the address and the roles of the request, not those of the approver or of nobody', async () => {
    const owner = await signIn(local, acme.owner)
    const ada = await personWith(local, owner, ['developer'])
    const office = { field: 'request.ip', op: 'cidr_in', value: '127.0.0.0/8' }
    const developers = { field: 'principal.roles', op: 'any_in', value: ['developer'] }
    await acme.policy({ name: 'only there', effect: 'forbid', unless: { all: [office, developers] } })

    const [vote, swept] = [
      await acme.held('delete_contact', {}, { key: ada.access_token }),
      await acme.held('delete_contact', {}, { key: ada.access_token }),
    ]
    expect(await acme.approve(vote.approval.id)).toMatchObject({ body: { execution: { status: 'executed' } } })
    die({ at: 1, lost: true, command: 'TransactWriteItemsCommand' })
    await acme.approve(swept.approval.id)
    restart()
    await sweepLater()

    expect(await acme.look(swept.receipt.request_id)).toMatchObject({ status: 'executed' })
  })

  test('keeps the address sealed, and small', async () => {
    const held = await acme.held()
    const { space, table } = acme.ctx
    const stored = await table.get(executions, { ...space, id: held.receipt.request_id })

    expect(stored?.origin?.length).toBeLessThanOrEqual(120)
    expect(Buffer.from(stored?.origin ?? []).toString('latin1')).not.toContain('127.0.0.1')
  })
})
