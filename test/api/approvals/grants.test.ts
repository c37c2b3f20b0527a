import { beforeEach, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { grants } from '../../../shared/govern/approvals/grants/grant.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { artifacts, artifactKey } from '../../../shared/ledger/evidence/artifact/artifact.ts'
import { factsOf } from '../../../shared/assure/walk/walk-day.ts'
import { EXECUTION_RULES } from '../../../shared/assure/checks/rules/executions.ts'
import { KnownActors } from '../../../shared/assure/walk/known-actors.ts'
import { faults } from '../../support/faults.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { startTarget } from '../../support/target.ts'
import { makeKey, revoke as endKey } from '../../support/keys.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR_S = 3_600
const ASKS = {
  name: 'updates need a person',
  effect: 'require_approval',
  scope: { action_kinds: ['update'] },
  approval: { stages: [{ groups: ['any'] }], grant: { max_s: HOUR_S, max_uses: 2 } },
}
const PAID = { payload: { contact: 'con_1', amount: 10, currency: 'EUR' } }

const { plugin, die, restart } = faults()
const local = useLocalStack({ plugins: [plugin] })
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
  await acme.policy(ASKS)
})

const update = async (body: object = PAID, key?: string) => (await acme.execute('update_contact', body, { key })).status
const approveFor = async (allow_for_s: number, body: object = PAID) => {
  const { approval } = await acme.held('update_contact', body)
  return acme.approve(approval.id, { allow_for_s })
}
const given = async (body?: object) => bodyOf(await approveFor(HOUR_S, body), 200).grant_id
const list = async () => bodyOf(await acme.call(approvals.listGrants), 200).items
const revoke = (id: string, key = acme.approver_key) => acme.call(approvals.revokeGrant, { key, params: { id } })
const grantRow = async () => {
  const [found] = await acme.ctx.table.query(grants, { pk: `T#${acme.tenant_id}#live#GRANTS`, index: 'gsi1' })
  if (!found) throw new Error('there is no grant')
  return found
}

describe('an approval with allow_for_s', () => {
  test('lets the same action run without being asked about, as often as the policy permits', async () => {
    const id = await given()
    const ran = bodyOf(await acme.execute('update_contact', PAID), 200)

    expect(ran).toMatchObject({ status: 'executed', receipt: { grant_id: id, routing_decision: { tier: 'HARD' } } })
    expect(ran.approval).toBeUndefined()
    const { header } =
      (await acme.ctx.table.get(artifacts, artifactKey(acme.ctx.space, ran.receipt.evidence_artifact_id))) ?? {}
    expect(header).toContain('protocol.executed')
    expect([await update(), await update()]).toEqual([200, 202])
    expect(await list()).toEqual([
      expect.objectContaining({ id, status: 'used_up', uses: 2, max_uses: 2, action_id: 'update_contact' }),
    ])
    await local.drain()
    expect((await acme.look(ran.receipt.request_id)).contradictions ?? []).toEqual([])
  })

  test('is offered by the approval, with the figures of the policies, where it is possible', async () => {
    const open = await acme.held('update_contact', PAID)
    const floored = await acme.held()
    expect((await acme.approval(open.approval.id)).grant).toEqual({
      max_s: HOUR_S,
      max_uses: 2,
      free: [],
      at_most: [],
    })
    expect(await acme.approval(floored.approval.id)).not.toHaveProperty('grant')
    await acme.reject(open.approval.id)
    expect(await acme.approval(open.approval.id)).not.toHaveProperty('grant')
  })

  test('counts against limits like everything that runs, and lets nothing beyond them pass', async () => {
    const limit = { measure: 'count', max: 2, window: '2h' }
    const { policy_id } = await acme.policy({ name: 'two updates', effect: 'forbid', limit })
    await given()
    expect([await update(), await update()]).toEqual([200, 403])

    const params = { tenant_id: acme.tenant_id, policy_id }
    expect((await acme.call(security.policyUsage, { params })).body).toMatchObject({ used: 2, remaining: 0 })
  })

  test('ends after the shorter of its own time and that of the policy', async () => {
    bodyOf(await approveFor(60), 200)
    expect(await update()).toBe(200)
    await local.advance(60_000)
    expect(await update()).toBe(202)
    bodyOf(await approveFor(28_800), 200)
    await local.advance(HOUR_S * 1_000)
    expect(await update()).toBe(202)
  })

  test('is for this requester, action and agent, and for exactly this payload', async () => {
    await given()

    expect(await update(PAID, await makeKey(acme))).toBe(202)
    expect(await update({ payload: { ...PAID.payload, amount: 11 } })).toBe(202)
    expect(await update({ payload: { ...PAID.payload, currency: 'USD' } })).toBe(202)
    expect(await update({ payload: { ...PAID.payload, to: 'x@other.example' } })).toBe(202)
    expect(await update({ ...PAID, policy_context: { require_approval: true } })).toBe(202)
    expect(await update({ payload: { ...PAID.payload, amount: 9 } })).toBe(202)
    expect(await update({ payload: { ...PAID.payload, note: 'hello' } })).toBe(202)
    expect(await update()).toBe(200)
  })

  test('does not outlive a change of the policies or of the manifest', async () => {
    await given()
    await acme.policy({ name: 'other', effect: 'forbid', scope: { action_ids: ['nothing'] } })
    expect(await update()).toBe(202)
    await given()
    await acme.register([{ action_id: 'update_contact' }], { version: '1.0.1' })
    expect(await update()).toBe(202)
  })

  test('is refused for kinds with a class floor, and where a policy does not permit it', async () => {
    const { approval } = await acme.held()
    const floored = await acme.approve(approval.id, { allow_for_s: 60 })
    expect([floored.status, floored.body.detail]).toEqual([409, 'This kind needs an approval each time.'])

    await acme.policy({ ...ASKS, name: 'ask again', scope: { action_ids: ['update_*'] }, approval: undefined })
    expect((await approveFor(60)).status).toBe(409)
  })

  test('needs the leave of everybody whose vote counts', async () => {
    const { policy_id, version } = (await acme.call(security.listPolicies, { params: { tenant_id: acme.tenant_id } }))
      .body.items[0]
    const approval = { ...ASKS.approval, stages: [{ groups: ['any'], min_approvals: 2 }] }
    await acme.policy({ ...ASKS, approval, policy_id, version })
    const held = await acme.held('update_contact', PAID)
    const second = await makeKey(acme, { created_by: 'usr_third' })
    bodyOf(await acme.approve(held.approval.id, {}), 200)
    const done = await acme.approve(held.approval.id, { allow_for_s: 60 }, { key: second })
    expect(bodyOf(done, 200)).toMatchObject({ status: 'approved' })
    expect(await list()).toEqual([])
  })

  test('holds for actions with a target, also when the process dies before the call', async () => {
    const target = await startTarget()
    const endpoint = { action_id: 'update_contact', idempotency: true, target: { type: 'http', url: target.url } }
    await acme.register([endpoint], { version: '1.0.1' })
    await given()
    expect(await update()).toBe(200)
    die({ at: 1, lost: true, command: 'TransactWriteItemsCommand' })
    expect(await update()).toBe(500)
    expect(restart()).toBe(true)
    expect(target.calls).toHaveLength(2)
    local.clock.moveTo(local.clock.now() + 31_000)
    await local.sweep()
    expect(target.calls).toHaveLength(3)
    await target.stop()
  })
})

describe('a grant', () => {
  test('can be revoked, once', async () => {
    const id = await given()
    expect(bodyOf(await revoke(id), 200)).toMatchObject({ id, status: 'revoked' })
    expect((await revoke(id)).status).toBe(200)
    expect(await update()).toBe(202)
    expect((await revoke('grt_01JD3Q8Z5N3F5H7K9N1Q3S5V7X')).status).toBe(404)
    const other = await local.tenant()
    expect((await revoke(id, other.approver_key)).status).toBe(404)
  })

  test('that the table alone states lets nothing run', async () => {
    await given()
    const row = await grantRow()
    const forge = async (change: object) => {
      const now = await grantRow()
      await acme.ctx.table.commit([grants.replace({ ...now, ...change }, now)])
    }
    await forge({ max_uses: 100 })
    expect(await update()).toBe(202)
    await forge({ max_uses: row.max_uses, ceiling: { ...row.ceiling, amount: 1_000 } })
    expect(await update()).toBe(202)
    await forge({ ceiling: row.ceiling })
    expect(await update()).toBe(200)
  })

  test('ends when whoever gave it may no longer approve', async () => {
    await given()
    expect(await update()).toBe(200)
    await endKey(acme.approver_key)
    expect(await update()).toBe(202)
  })

  test('is not used by a forecast', async () => {
    await given()
    const asked = { node_id: NODE_ID, action_id: 'update_contact', ...PAID }
    expect(bodyOf(await acme.call(protocol.evaluate, { body: asked }), 200).outcome).toBe('hold')
    expect((await list())[0].uses).toBe(0)
  })

  test('answers for what ran under it in the checks of compliance', async () => {
    await given()
    const ran = bodyOf(await acme.execute('update_contact', PAID), 200)
    const execution = await acme.ctx.table.get(executions, { ...acme.ctx.space, id: ran.receipt.request_id })
    if (!execution) throw new Error('it did not run')
    const [facts] = await factsOf(acme.ctx, [execution], new KnownActors(acme.ctx))
    expect(facts && EXECUTION_RULES['GOV-02'](facts)).toBe(true)
    const forged = await factsOf(
      acme.ctx,
      [
        { ...execution, grant_id: 'grt_01JD3Q8Z5N3F5H7K9N1Q3S5V7X' },
        { ...execution, action_id: 'get_contact' },
        { ...execution, requested_by: { ...execution.requested_by, id: 'key_other' } },
        { ...execution, agent_id: 'agt_other', agent_bound: true },
      ],
      new KnownActors(acme.ctx),
    )
    expect(forged.map((one) => EXECUTION_RULES['GOV-02'](one))).toEqual([false, false, false, false])
  })

  test('whose uses were set back in the table is found by the checks', async () => {
    await given()
    const runs = [
      bodyOf(await acme.execute('update_contact', PAID), 200),
      bodyOf(await acme.execute('update_contact', PAID), 200),
    ]
    const now = await grantRow()
    await acme.ctx.table.commit([grants.replace({ ...now, uses: 0 }, now)])
    expect(await update()).toBe(200)

    const { space, table } = acme.ctx
    const ran = await table.getAll(
      executions,
      runs.map(({ receipt }) => ({ ...space, id: receipt.request_id })),
    )
    const facts = await factsOf(
      acme.ctx,
      ran.flatMap((one) => one ?? []),
      new KnownActors(acme.ctx),
    )
    expect(facts.map((one) => EXECUTION_RULES['GOV-02'](one))).toEqual([false, false])
  })
})

describe('what waits already when a grant is given', () => {
  const waits = async (body: object = PAID) => (await acme.held('update_contact', body)).approval

  test('is named by the answer to the vote as far as it falls under the grant, and stays to be decided', async () => {
    const same = await waits()
    for (const amount of [9, 11]) await waits({ payload: { ...PAID.payload, amount } })
    await waits({ ...PAID, policy_context: { require_approval: true } })
    await acme.execute('update_contact', PAID, { key: await makeKey(acme) })
    const { also_waiting } = bodyOf(await approveFor(HOUR_S), 200)

    expect(also_waiting).toMatchObject([{ id: same.id, action_digest: same.action_digest }])
    expect((await acme.approval(same.id)).status).toBe('pending')
    const voted = bodyOf(await acme.approve(same.id), 200)
    expect(voted).toMatchObject({ status: 'approved' })
    expect(voted).not.toHaveProperty('also_waiting')
  })
})
