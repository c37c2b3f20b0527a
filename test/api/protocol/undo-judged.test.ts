import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { workers } from '../../../functions/workers.ts'
import { permissionsOfRoles } from '../../../shared/base/catalog/permissions.ts'
import { artifactKey, artifacts } from '../../../shared/ledger/evidence/artifact/artifact.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { nodeHeads, nodeVersions } from '../../../shared/govern/manifests/node.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { stillClock } from '../../support/still-clock.ts'
import { json, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const clock = stillClock()
const local = useLocalStack({ clock })
let target: TestTarget
let acme: Governed
afterEach(() => target.stop())
beforeEach(async () => {
  clock.moveTo(clock.now() + 1_000) // out of the rate window of the test before
  target = await startTarget()
  const to = { type: 'http', url: target.url }
  acme = await governed(local, [
    { action_id: 'update_deal', target: to, undo_action_id: 'restore_deal' },
    { action_id: 'restore_deal', target: to },
    { action_id: 'update_plan', target: to, undo_action_id: 'restore_plan' },
    { action_id: 'restore_plan', target: to, approval_required: true },
    { action_id: 'update_note' },
  ])
})

const executed = async (action_id: string, body: object = {}, by: { key?: string } = {}): Promise<string> =>
  bodyOf(await acme.execute(action_id, body, by), 200).receipt.request_id
/** The actions that the target was asked for. */
const called = () => target.calls.map(({ body }) => body.action_id)
const headerOf = async (artifact_id: string) =>
  JSON.parse((await acme.ctx.table.get(artifacts, artifactKey(acme.ctx.space, artifact_id)))?.header ?? '{}')
const forbid = (action_id?: string) =>
  acme.policy({ name: 'stop', effect: 'forbid', ...(action_id && { scope: { action_ids: [action_id] } }) })

describe('an undo is judged like any action', () => {
  test('403: what forbids the undo action stops the undo, and the refusal is evidence', async () => {
    const id = await executed('update_deal')
    const { policy_id, ...policy } = await forbid('restore_deal')
    const reply = await acme.undo(id)
    const child = await acme.look(reply.body.undo.request_id)

    expect(reply).toMatchObject({
      status: 403,
      body: {
        status: 'executed',
        code: 'policy_rejected',
        detail: `The undo was refused, so the action stays executed. Rejected by policy ${policy_id}: stop.`,
        undo: { state: 'refused', action_id: 'restore_deal' },
      },
    })
    expect(child).toMatchObject({
      status: 'rejected',
      receipt: { action_id: 'restore_deal', routing_decision: { strategy: 'undo', tier: 'SOFT', kind: 'update' } },
    })
    expect(await headerOf(child.receipt.evidence_artifact_id)).toMatchObject({
      type: 'action.rejected',
      decision: { strategy: 'undo', tier: 'SOFT', kind: 'update' },
      data: { undo_of: id },
    })
    expect(called()).toEqual(['update_deal'])
    await acme.policy({ policy_id, version: policy.version, name: 'stop', effect: 'forbid', enabled: false })
    expect(await acme.undo(id)).toMatchObject({ status: 200, body: { status: 'undone' } })
  })

  test('403: a policy that forbids the action stops every undo, also one that only marks', async () => {
    const ids = [await executed('update_deal'), await executed('update_note')]
    await forbid()

    for (const id of ids) expect(await acme.undo(id)).toMatchObject({ status: 403 })
    expect(called()).toEqual(['update_deal'])
    for (const id of ids) expect((await acme.look(id)).status).toBe('executed')
  })

  test('403: mode block refuses an undo whose payload holds personal data', async () => {
    target.next(json(200, { mail: 'anna@example.com' }))
    const id = await executed('update_deal')
    await acme.change({ pii_mode: 'block' })

    expect(await acme.undo(id)).toMatchObject({ status: 403, body: { undo: { state: 'refused' } } })
    expect(called()).toEqual(['update_deal'])
  })

  test('403: a policy that holds the agent of the caller holds its undo', async () => {
    const id = await executed('update_deal')
    await acme.policy({ name: 'agent', effect: 'forbid', scope: { agents: ['agt_a'] } })

    expect((await acme.undo(id)).status).toBe(403)
  })
})

describe('an undo that needs approval', () => {
  const held = async () => {
    const id = await executed('update_plan')
    const reply = await acme.undo(id)
    return { id, reply, approval: reply.body.approval?.id, child: reply.body.undo?.request_id }
  }

  test('202: waits, and undoes when it is approved, also after the window', async () => {
    const { id, reply, approval, child } = await held()

    expect(reply).toMatchObject({
      status: 202,
      headers: { location: `/api/v1/work/approvals/${approval}` },
      body: { status: 'executed', undo: { state: 'held', action_id: 'restore_plan' } },
    })
    expect(await acme.look(child)).toMatchObject({
      status: 'pending_approval',
      receipt: { routing_decision: { strategy: 'undo', tier: 'HARD', kind: 'update' } },
    })
    expect(await acme.undo(id)).toMatchObject({ status: 202, body: reply.body })
    clock.moveTo(clock.now() + 60_000)
    expect(called()).toEqual(['update_plan'])
    const events = await acme.told(async () => bodyOf(await acme.approve(approval), 200))

    expect(called()).toEqual(['update_plan', 'restore_plan'])
    expect(events.at(-1)).toMatchObject({ type: 'execution.undone', data: { compensation: 'executed' } })
    expect(await acme.look(id)).toMatchObject({ status: 'undone', undo: { state: 'done', request_id: child } })
    expect(await acme.undo(id)).toMatchObject({ status: 200, body: { status: 'undone' } })
  })

  test('is refused with its approval, and may be asked for again within the window', async () => {
    const { id, approval } = await held()
    bodyOf(await acme.reject(approval), 200)

    expect(await acme.look(id)).toMatchObject({ status: 'executed', undo: { state: 'refused' } })
    expect(await acme.undo(id)).toMatchObject({ status: 202 })
    expect(called()).toEqual(['update_plan'])
  })

  test('is refused when nobody decides in time', async () => {
    await acme.change({ approval_ttl_s: 60 })
    const { id } = await held()
    clock.moveTo(clock.now() + 61_000)
    await local.invoke(workers.sweep, {})

    expect(await acme.look(id)).toMatchObject({ status: 'executed', undo: { state: 'refused' } })
  })

  test('202: a policy that asks for approval holds it', async () => {
    await acme.policy({ name: 'ask', effect: 'require_approval', scope: { action_ids: ['restore_deal'] } })
    const id = await executed('update_deal')

    expect(await acme.undo(id)).toMatchObject({ status: 202, body: { undo: { state: 'held' } } })
    expect(called()).toEqual(['update_deal'])
  })

  test('is settled by the sweeper where the process that ran it died', async () => {
    const { id, approval, child } = await held()
    clock.moveTo(clock.now() + 31_000)
    await local.invoke(workers.sweep, {}) // waits for the approval
    expect(await acme.look(id)).toMatchObject({ undo: { state: 'held' } })
    const { table, space } = acme.ctx
    const was = await table.get(executions, { ...space, id })
    if (!was) throw new Error('the execution is gone')
    bodyOf(await acme.approve(approval), 200)
    const now = await table.get(executions, { ...space, id })
    if (now) await table.commit([executions.replace({ ...was, artifacts: now.artifacts }, now)]) // as if it had not been told
    clock.moveTo(clock.now() + 86_400_000)
    await local.invoke(workers.sweep, {})

    expect(await acme.look(id)).toMatchObject({ status: 'undone', undo: { state: 'done', request_id: child } })
  })
})

test('202: an undo action of a HARD kind that was registered before such were refused is held', async () => {
  const { table, space } = acme.ctx
  const key = { ...space, node_id: NODE_ID }
  const [was, head] = [await table.get(nodeVersions, { ...key, version: '1.0.0' }), await table.get(nodeHeads, key)]
  if (!was || !head) throw new Error('the node is gone')
  const manifest = was.manifest.replaceAll('"restore_deal"', '"delete_deal"')
  await table.commit([
    nodeVersions.insert({ ...was, version: '1.1.0', manifest: manifest.replace('"1.0.0"', '"1.1.0"') }),
    nodeHeads.replace({ ...head, latest: '1.1.0' }, head),
  ])

  expect(await acme.undo(await executed('update_deal'))).toMatchObject({
    status: 202,
    body: { undo: { state: 'held' } },
  })
  expect(called()).toEqual(['update_deal'])
})

describe('who may undo', () => {
  const cap = [...permissionsOfRoles(['developer'])]
  const keyOf = (created_by: string, over: object = {}) => makeKey(acme, { created_by, cap, ...over })

  test('who asked, the bound agent, and whoever decides on actions', async () => {
    const [own, other] = [await keyOf('usr_own'), await keyOf('usr_own')]
    const [agent, sibling] = [await keyOf('usr_a', { agent_id: 'agt_a' }), await keyOf('usr_b', { agent_id: 'agt_a' })]
    const cases = [
      [own, other],
      [agent, sibling],
      [own, await keyOf('usr_c', { cap: [...permissionsOfRoles(['approver'])] })],
    ]
    for (const [asker, undoer] of cases) {
      const id = await executed('update_deal', {}, { key: asker })
      expect(await acme.undo(id, { key: undoer })).toMatchObject({ status: 200 })
    }
  })

  test('403: nobody else, also not who only states the agent', async () => {
    const [own, stranger] = [await keyOf('usr_own'), await keyOf('usr_x', { agent_id: 'agt_a' })]
    const id = await executed('update_deal', { policy_context: { agent_id: 'agt_a' } }, { key: own })

    expect(await acme.undo(id, { key: stranger })).toMatchObject({
      status: 403,
      body: { detail: 'You did not request this action. Ask its requester or an approver to undo it.' },
    })
    expect(called()).toEqual(['update_deal'])
  })
})

test('the payload of an undo is erased with its data subject', async () => {
  const id = await executed('update_deal', { policy_context: { data_subject: 'anna' } })
  const { body } = await acme.undo(id)
  bodyOf(await acme.call(evidence.erase, { body: { data_subject: 'anna', reason: 'asked' } }), 202)
  await local.drain()

  expect((await acme.look(body.undo.request_id)).result).toMatchObject({ payload_echo: null })
})
