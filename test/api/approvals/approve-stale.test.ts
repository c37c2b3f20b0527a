// An approval is bound to one payload, one manifest, one policy set and one requester. Whatever of them changes, it is not
// an approval any more.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { approvals as storedApprovals } from '../../../shared/govern/approvals/approval.ts'
import { sealPayload } from '../../../shared/ledger/sealing/seal.ts'
import { type Execution, executions } from '../../../shared/govern/executions/execution.ts'
import { faults } from '../../support/faults.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { expectServerErrors } from '../../support/server-errors.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const { plugin, die, restart } = faults()
const local = useLocalStack({ plugins: [plugin] })
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())

const to = () => ({ type: 'http', url: target.url })
const actions = (more: object = {}) => [
  { action_id: 'get_contact', target: to() },
  { action_id: 'update_contact', target: to() },
  { action_id: 'delete_contact', target: to(), ...more },
  { action_id: 'delete_note' },
]
beforeEach(async () => {
  target.calls.length = 0
  acme = await governed(local, actions())
})

type Held = { approval: { id: string }; receipt: { request_id: string } }

/** The approval that took the place of another one. */
async function successorOf({ approval, receipt }: Held, reason: string) {
  const reply = await acme.approve(approval.id)
  const { superseded_by: id } = await acme.approval(approval.id)
  expect(reply).toMatchObject({
    status: 409,
    body: { detail: `This approval is no longer valid: ${reason}. Decide approval ${id} instead.` },
  })
  expect(await acme.approval(approval.id)).toMatchObject({ status: 'cancelled', method: 'cancelled' })
  expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'pending_approval', approval: { id } })
  expect(target.calls).toEqual([])
  return { ...(await acme.approval(id)), id: String(id) }
}

/** Writes into the stored execution what no part of the service would. */
async function tamper(request_id: string, change: (stored: Execution) => Promise<Partial<Execution>>) {
  const { table, space } = acme.ctx
  const stored = await table.get(executions, { ...space, id: request_id })
  if (!stored) throw new Error('no such execution')
  await table.commit([executions.replace({ ...stored, ...(await change(stored)) }, stored)])
}

describe('POST /api/v1/work/approvals/{id}/approve, after a change', () => {
  test('409 naming the successor: the manifest changed; the successor runs the new version', async () => {
    const held = await acme.held()
    await acme.register(actions({ description: 'Removes.' }), { version: '1.1.0' })
    const successor = await successorOf(held, 'the definition of the action changed')

    expect(successor).toMatchObject({ status: 'pending', version: '1.1.0', votes: [] })
    expect(successor.action_digest).not.toBe((await acme.approval(held.approval.id)).action_digest)
    expect(await acme.approve(held.approval.id)).toMatchObject({
      status: 409,
      body: { detail: `The action has changed. Decide approval ${successor.id} instead.` },
    })
    expect(await acme.approve(successor.id)).toMatchObject({ status: 200, body: { execution: { status: 'executed' } } })
    expect(target.calls).toHaveLength(1)
    expect(target.calls[0]?.body).toMatchObject({ version: '1.1.0', approval: { id: successor.id } })
  })

  test('200: a version that changes other actions ends no approval, whoever registers it', async () => {
    const { approval, receipt } = await acme.held()
    await acme.register([...actions(), { action_id: 'list_contacts' }], { version: '1.1.0', name: 'Renamed' })

    expect(await acme.approve(approval.id)).toMatchObject({ status: 200, body: { execution: { status: 'executed' } } })
    expect(target.calls).toMatchObject([{ body: { version: '1.0.0', approval: { id: approval.id } } }])
    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'executed' })
  })

  test.each<[string, (url: string) => object]>([
    ['another address', (url) => ({ target: { type: 'http', url: url.replace('/run', '/other') } })],
    ['another method', (url) => ({ target: { type: 'http', url, method: 'DELETE' } })],
    ['other values of headers', (url) => ({ target: { type: 'http', url, headers: { 'X-Account': 'mallory' } } })],
  ])('409 naming the successor, which shows what changed: %s', async (_, change) => {
    const headers = { 'X-Account': 'acme' }
    await acme.register(actions({ target: { ...to(), headers } }), { version: '1.1.0' })
    const held = await acme.held()
    await acme.register(actions(change(target.url)), { version: '1.2.0' })

    const successor = await successorOf(held, 'the definition of the action changed')
    expect(successor).toMatchObject({ status: 'pending', version: '1.2.0', binding: { v: 2 } })
  })

  test('409 naming the successor: the policies or settings changed; their stages count now, with full expiry', async () => {
    const held = await acme.held()
    local.clock.moveTo(local.clock.now() + 3_600_000)
    const approval = { stages: [{ groups: ['any'], min_approvals: 2 }], expires_in_s: 120 }
    await acme.policy({ name: 'two', effect: 'require_approval', approval })
    const successor = await successorOf(held, 'the policies changed')

    expect(successor).toMatchObject({ stages: [{ groups: ['any'], min_approvals: 2 }] })
    expect(Date.parse(successor.expires_at) - local.clock.now()).toBeGreaterThan(110_000)
  })

  test('409 naming the successor: never looser than held, also when the policies would let it run by now', async () => {
    const { policy_id, version } = await acme.policy({ name: 'p', effect: 'min_tier', tier: 'HARD' })
    const held = await acme.held('update_contact')
    const auto = await acme.held('get_contact')
    await acme.policy({ policy_id, version, name: 'p', effect: 'min_tier', tier: 'SOFT' })

    for (const each of [held, auto]) {
      const successor = await successorOf(each, 'the policies changed')
      const { body: approved } = await acme.approve(successor.id)
      expect(approved).toMatchObject({ tier: 'HARD', execution: { status: 'executed' } })
      expect(approved.execution).not.toHaveProperty('undo_until')
      expect(target.calls.pop()?.body).toMatchObject({ tier: 'HARD', approval: { id: successor.id } })
    }
  })

  test.each([
    ['a policy forbids it by now', () => acme.policy({ name: 'p', effect: 'forbid', message: 'no more' }), 'no more'],
    [
      'the action is gone',
      () => acme.register([{ action_id: 'get_contact', target: to() }], { version: '1.1.0' }),
      'the action no longer exists',
    ],
    [
      'the payload does not fit any more',
      () => acme.register(actions({ input_schema: { required: ['reason'] } }), { version: '1.1.0' }),
      'the payload no longer fits the schema of the action',
    ],
  ])('409: %s, so it is rejected', async (_, change, reason) => {
    const { approval, receipt } = await acme.held()
    await change()

    expect(await acme.approve(approval.id)).toMatchObject({
      status: 409,
      body: {
        detail: expect.stringMatching(
          /^This approval is no longer valid: the (policies|definition of the action) changed\. The action is now refused\.$/,
        ),
      },
    })
    expect(await acme.approval(approval.id)).toMatchObject({ status: 'rejected', method: 'policy', reason })
    expect(await acme.look(receipt.request_id)).toMatchObject({
      status: 'rejected',
      code: 'policy_rejected',
      detail: expect.stringContaining(reason),
    })
    expect(target.calls).toEqual([])
  })

  test.each(['delete_contact', 'delete_note'])(
    '409: a payload of %s that was exchanged in the store never runs',
    async (action_id) => {
      const { approval, receipt } = await acme.held(action_id)
      await tamper(receipt.request_id, async (stored) => {
        const { sealed } = await sealPayload(acme.ctx.space, executions.key(stored), 'payload', { contact: 'con_2' })
        return { payload: sealed }
      })

      expect(await acme.approve(approval.id)).toMatchObject({
        status: 409,
        body: {
          detail:
            'This approval is no longer valid: the stored action is not the requested one. The action is now refused.',
        },
      })
      expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'rejected' })
      expect(target.calls).toEqual([])
    },
  )

  test('409: so does an exchanged payload whose commitment was exchanged with it', async () => {
    const { approval, receipt } = await acme.held()
    await tamper(receipt.request_id, async (stored) => {
      const { sealed, commitment } = await sealPayload(acme.ctx.space, executions.key(stored), 'payload', {
        contact: 'con_2',
      })
      return { payload: sealed, payload_commitment: commitment }
    })

    expect(await acme.approve(approval.id)).toMatchObject({ status: 409 })
    expect(target.calls).toEqual([])
  })

  test.each<[string, Partial<Execution>]>([
    ['action', { action_id: 'delete_note' }],
    ['requester', { requested_by: { type: 'api_key', id: 'key_other' } }],
    ['agent', { agent_id: 'agt_other' }],
    ['manifest', { manifest_sha256: '0'.repeat(64) }],
  ])('409: another %s under the same approval never runs', async (_, change) => {
    const { approval, receipt } = await acme.held()
    await tamper(receipt.request_id, async () => change)

    expect(await acme.approve(approval.id)).toMatchObject({ status: 409 })
    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'rejected' })
    expect(target.calls).toEqual([])
  })

  test('500: a payload of other bytes does not even open', async () => {
    const { approval, receipt } = await acme.held()
    await tamper(receipt.request_id, async ({ payload }) => {
      const bytes = Uint8Array.from(payload ?? [])
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
      return { payload: bytes }
    })

    expectServerErrors()
    expect((await acme.approve(approval.id)).status).toBe(500)
    expect((await acme.call(approvals.list)).body.items).toMatchObject([{ id: approval.id, status: 'pending' }])
    expect(target.calls).toEqual([])
  })
})

describe('a change between approval and claim', () => {
  /** Approved by a process that died before its claim. */
  async function approvedOnly(): Promise<Held> {
    const held = await acme.held()
    die({ at: 1, lost: true, command: 'TransactWriteItemsCommand' })
    await acme.approve(held.approval.id)
    restart()
    expect((await acme.look(held.receipt.request_id)).status).toBe('approved')
    return held
  }
  const sweepLater = async () => {
    local.clock.moveTo(local.clock.now() + 16_000)
    await local.sweep()
  }

  test('without one, the sweeper claims and calls', async () => {
    const { receipt } = await approvedOnly()
    await sweepLater()

    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'executed' })
    expect(target.calls).toHaveLength(1)
  })

  test('of the manifest makes the sweeper ask again', async () => {
    const { approval, receipt } = await approvedOnly()
    await acme.register(actions({ description: 'Removes.' }), { version: '1.1.0' })
    const events = await acme.told(sweepLater)
    const { superseded_by } = await acme.approval(approval.id)

    expect(events.map(({ type }) => type)).toEqual(['evidence.emitted', 'protocol.approval.requested'])
    expect(await acme.look(receipt.request_id)).toMatchObject({
      status: 'pending_approval',
      approval: { id: superseded_by },
    })
    expect(target.calls).toEqual([])
    expect(await acme.approve(superseded_by)).toMatchObject({ status: 200 })
    expect(target.calls).toHaveLength(1)
  })

  test('of the policies to a prohibition withdraws the approval', async () => {
    const { approval, receipt } = await approvedOnly()
    await acme.policy({ name: 'p', effect: 'forbid' })
    await sweepLater()

    expect(await acme.approval(approval.id)).toMatchObject({ status: 'cancelled' })
    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'rejected' })
    expect(target.calls).toEqual([])
  })

  test('of the stored approval’s digest withdraws it too', async () => {
    const { approval, receipt } = await approvedOnly()
    const { table, space } = acme.ctx
    const stored = await table.get(storedApprovals, { ...space, id: approval.id })
    if (!stored) throw new Error('no such approval')
    await table.commit([storedApprovals.replace({ ...stored, action_digest: `sha256:${'0'.repeat(64)}` }, stored)])
    await sweepLater()

    expect(await acme.look(receipt.request_id)).toMatchObject({ status: 'rejected' })
    expect(target.calls).toEqual([])
  })
})
