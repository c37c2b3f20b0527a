// Whoever can write to the table can say there that something was approved. Only what the chain holds counts.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Approval, approvals as storedApprovals, type Vote } from '../../../shared/govern/approvals/approval.ts'
import { artifactKey, artifacts, newArtifact } from '../../../shared/ledger/evidence/artifact/artifact.ts'
import { type Execution, executions } from '../../../shared/govern/executions/execution.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { faults } from '../../support/faults.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { personWith } from '../../support/people.ts'
import { signIn } from '../../support/sign-in.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const { plugin, die, restart } = faults()
const local = useLocalStack({ plugins: [plugin] })
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.stop())
beforeEach(async () => {
  target.calls.length = 0
  const to = { type: 'http', url: target.url }
  acme = await governed(local, [
    { action_id: 'delete_contact', target: to },
    { action_id: 'delete_deal', target: to, idempotency: true },
  ])
})

type Held = { approval: { id: string }; receipt: { request_id: string } }

async function sweepLater(): Promise<void> {
  local.clock.moveTo(local.clock.now() + 31_000)
  await local.sweep()
}

/** Approved by a process that died before its claim. */
async function approvedOnly(): Promise<Held> {
  const held = await acme.held()
  die({ at: 1, lost: true, command: 'TransactWriteItemsCommand' })
  await acme.approve(held.approval.id)
  restart()
  return held
}

async function stored({ approval: { id }, receipt: { request_id } }: Held) {
  const { table, space } = acme.ctx
  const execution = await table.get(executions, { ...space, id: request_id })
  const approval = await table.get(storedApprovals, { ...space, id })
  if (!execution || !approval) throw new Error('it was never held')
  return { execution, approval }
}

/** Writes what no part of the service would. */
async function tamper(held: Held, execution: Partial<Execution>, approval: Partial<Approval>): Promise<void> {
  const was = await stored(held)
  await acme.ctx.table.commit([
    executions.replace({ ...was.execution, ...execution }, was.execution),
    storedApprovals.replace({ ...was.approval, ...approval }, was.approval),
  ])
}

/** Execution and approval as they stand after a deciding vote. */
async function forge(held: Held, execution: Partial<Execution> = {}, approval: Partial<Approval> = {}): Promise<void> {
  const by = { type: 'user' as const, id: acme.approver.id }
  const at = iso(acme.ctx.now())
  const vote: Vote = { by, persons: [by.id], groups: ['any'], decision: 'approve', at, stage: 0 }
  const decided: Partial<Approval> = { status: 'approved', decided_by: by, decided_at: at, method: 'manual' }
  await tamper(held, { status: 'approved', lease_until: at, ...execution }, { votes: [vote], ...decided, ...approval })
}

/** Inserts an artifact of the approval that claims a place in the chain, and gives what the execution says of it. */
async function forgeArtifact(held: Held): Promise<Partial<Execution>> {
  const { execution, approval } = await stored(held)
  const { ctx } = acme
  const approvers = [{ id: acme.approver.id }]
  const action_digest = approval.action_digest.replace('sha256:', '')
  const { artifact_id, header, ah, hash, type } = newArtifact(
    { ...ctx, principal: { ...ctx.principal, kind: 'user', id: acme.approver.id } },
    {
      type: 'approval.approved',
      subject: { type: 'execution', id: execution.id },
      request_id: execution.id,
      approval: { id: approval.id, action_digest, stage: 0, decision: 'approve', approvers, method: 'manual' },
    },
  )
  const place = { seq: 0, blk: 1, prev: ah, ch: ah }
  await ctx.table.commit([artifacts.insert({ ...artifactKey(ctx.space, artifact_id), header, ah, ...place })])
  return { artifacts: [...execution.artifacts, { artifact_id, type, hash, at: iso(ctx.now()) }] }
}

const REFUSED = {
  status: 'rejected',
  code: 'policy_rejected',
  detail: expect.stringContaining('there is no evidence that this was approved'),
}

test('an action that is written as approved never starts; it ends as refused, and its evidence names no approver', async () => {
  const held = await acme.held()
  await forge(held)
  const events = await acme.told(sweepLater)

  expect(target.calls).toEqual([])
  const { evidence, ...execution } = await acme.look(held.receipt.request_id)
  expect(execution).toMatchObject(REFUSED)
  expect(evidence).toMatchObject([{ type: 'action.requested' }, { type: 'approval.cancelled' }])
  const approval = await acme.approval(held.approval.id)
  expect(approval).toMatchObject({ status: 'cancelled', method: 'policy', votes: [{ lapsed: true }] })
  expect(approval).not.toHaveProperty('decided_by')
  expect(events).toMatchObject([{ type: 'evidence.emitted' }, { type: 'action.rejected' }])
})

test('nor with an artifact that says so, which no block holds', async () => {
  const held = await acme.held()
  await local.drain() // so that there is a block
  await forge(held, await forgeArtifact(held))
  await sweepLater()

  expect(target.calls).toEqual([])
  expect(await acme.look(held.receipt.request_id)).toMatchObject(REFUSED)
})

test.each<[string, (approved: Execution) => [Partial<Execution>, Partial<Approval>]]>([
  ['another decider than the evidence names', () => [{}, { decided_by: { type: 'user', id: 'usr_forged' } }]],
  ['other votes', () => [{}, { votes: [] }]],
  ['an approval that is nowhere', ({ held }) => [{ held: held && { ...held, id: 'apr_none' } }, {}]],
  ['no approval at all', () => [{ held: undefined }, {}]],
])('nor what was approved, with %s', async (_, change) => {
  const held = await approvedOnly()
  await tamper(held, ...change((await stored(held)).execution))
  await sweepLater()

  expect(target.calls).toEqual([])
  expect(await acme.look(held.receipt.request_id)).toMatchObject(REFUSED)
})

test('a call that is written as interrupted is not made again', async () => {
  const held = await acme.held('delete_deal')
  await forge(held, { status: 'executing', attempt: 1 })
  await sweepLater()

  expect(target.calls).toEqual([])
  expect(await acme.look(held.receipt.request_id)).toMatchObject({ status: 'outcome_unknown' })
})

test('an earlier vote that is only written there does not count', async () => {
  const approval = { stages: [{ groups: ['any'], min_approvals: 2 }] }
  await acme.policy({ name: 'two', effect: 'require_approval', approval })
  const held = await acme.held()
  const waiting = { status: 'pending', decided_by: undefined, decided_at: undefined, method: undefined } as const
  await forge(held, { status: 'pending_approval', lease_until: undefined }, waiting)
  const { access_token: key } = await personWith(local, await signIn(local, acme.owner), ['admin'])

  const early = bodyOf(await acme.approve(held.approval.id, {}, { key }), 200)
  expect(early).toMatchObject({ status: 'pending', votes: [{ lapsed: true }, { decision: 'approve' }] })
  expect(target.calls).toEqual([])
  expect(bodyOf(await acme.approve(held.approval.id), 200)).toMatchObject({ status: 'approved' })
})
