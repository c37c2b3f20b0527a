// What somebody with access to the table makes executions, approvals, freezes and grants say.
import { describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { exports } from '../../../functions/exports/routes.ts'
import { type Approval, approvals as storedApprovals } from '../../../shared/govern/approvals/approval.ts'
import { approvalWithEvidence } from '../../../shared/govern/approvals/evidence.ts'
import { type Execution, executions } from '../../../shared/govern/executions/execution.ts'
import { grants, grantsKey } from '../../../shared/govern/approvals/grants/grant.ts'
import { grantUses } from '../../../shared/govern/approvals/grants/list.ts'
import { freezes } from '../../../shared/govern/freezes/freeze.ts'
import { findExecution } from '../../../shared/govern/executions/sealed/open-execution.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { governancePointers } from '../../../shared/base/tenant/tenant.ts'
import { BROKERED, type Governed, governed } from '../../support/governed.ts'
import { alarms, plant, steal, tamper } from '../../support/insider.ts'
import { expectServerErrors } from '../../support/server-errors.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

const FORGED = { type: 'user', id: 'usr_forged' } as const

async function edit(acme: Governed, id: string, change: (was: Approval) => Partial<Approval>): Promise<void> {
  const { table, space } = acme.ctx
  const was = await table.get(storedApprovals, { ...space, id })
  if (!was) throw new Error('no such approval')
  await table.commit([storedApprovals.replace({ ...was, ...change(was) }, was)])
}

async function editExecution(acme: Governed, id: string, change: Partial<Execution>): Promise<void> {
  const was = await findExecution(acme.ctx, id)
  await acme.ctx.table.commit([executions.replace({ ...was, ...change }, was)])
}

/** What the next full pass says of completeness. */
async function passed(acme: Governed) {
  await local.drain()
  await acme.call(evidence.verify, { query: { full: true } })
  await local.drain()
  return (await acme.call(evidence.verify)).body.verification.completeness
}

describe('an approval', () => {
  const TAMPERED: [string, (was: Approval) => Partial<Approval>, string][] = [
    ['another decider', () => ({ decided_by: FORGED }), 'decided_by'],
    ['another reason', () => ({ reason: 'forged' }), 'state'],
    ['another time', () => ({ decided_at: '2026-01-01T00:00:00.000Z' }), 'state'],
    ['another method', () => ({ method: 'manual' }), 'method'],
    ['another status', () => ({ status: 'rejected' }), 'status'],
    ['another requester', () => ({ requested_by: FORGED }), 'requested_by'],
    ['another risk', () => ({ risk: 1 }), 'risk'],
    ['another voter', ({ votes }) => ({ votes: votes.map((vote) => ({ ...vote, by: FORGED })) }), 'votes'],
    ['no salt', () => ({ salt: undefined, reason: 'forged' }), 'state'],
  ]

  test.each(TAMPERED)('that was given %s in the table is not told as it stands there', async (_, change, named) => {
    const acme = await governed(local)
    const { approval } = await acme.held()
    await acme.approve(approval.id, { reason: 'checked' })
    await local.drain()
    const before = await acme.approval(approval.id)
    await edit(acme, approval.id, change)

    const seen = await acme.approval(approval.id)
    const [listed] = (await acme.call(approvals.list, { query: { status: seen.status } })).body.items
    const [exported] = (await acme.call(exports.approvals)).body.items
    expect(before).toMatchObject({ evidence_status: 'verified', reason: 'checked' })
    for (const one of [seen, listed]) {
      expect(one).toMatchObject({
        evidence_status: 'differs',
        contradicted: expect.arrayContaining([named]),
        votes: [],
      })
      expect(one).not.toHaveProperty('decided_by')
      expect(one).not.toHaveProperty('reason')
    }
    expect(exported).toMatchObject({ evidence_status: 'differs', decision: null, decided_by: null, reason: null })
    expect(JSON.stringify([seen.decided_by, listed, exported])).not.toContain('"forged"')
    expect(await passed(acme)).toMatchObject({ result: 'gaps', examples: [approval.id] })
  })

  test('that nobody has decided and that says so is not told as decided', async () => {
    const acme = await governed(local)
    const { approval } = await acme.held()
    await local.drain()
    await edit(acme, approval.id, () => ({ status: 'approved', decided_by: FORGED, method: 'manual' }))

    expect(await acme.approval(approval.id)).toMatchObject({ evidence_status: 'differs', contradicted: ['status'] })
    expect(await passed(acme)).toMatchObject({ result: 'gaps', examples: [approval.id] })
  })

  test('that was decided and says that it waits is found as well', async () => {
    const acme = await governed(local)
    const { approval } = await acme.held()
    await acme.reject(approval.id)
    await edit(acme, approval.id, () => ({ status: 'pending', votes: [], decided_by: undefined }))

    expect(await acme.approval(approval.id)).toMatchObject({ evidence_status: 'differs', contradicted: ['status'] })
    expect(await passed(acme)).toMatchObject({ result: 'gaps', contradicted: 1, examples: [approval.id] })
  })

  test('that somebody decides while it is read is told as it stands then', async () => {
    const acme = await governed(local)
    const { approval, receipt } = await acme.held()
    const { table, space } = acme.ctx
    const was = await table.get(storedApprovals, { ...space, id: approval.id })
    if (!was) throw new Error('no such approval')
    await acme.approve(approval.id)
    await local.drain()

    const seen = await approvalWithEvidence(acme.ctx, was, await findExecution(acme.ctx, receipt.request_id))
    expect(seen).toMatchObject({ status: 'approved', evidence_status: 'verified' })
  })

  test('that is gone is missed by its evidence', async () => {
    const acme = await governed(local)
    const { approval } = await acme.held()
    const { space, table } = acme.ctx
    await table.commit([storedApprovals.remove({ ...space, id: approval.id })])

    expect(await passed(acme)).toMatchObject({ result: 'gaps', missing: 0, unnamed: 1 })
  })

  test.each([
    ['waits', async () => undefined],
    ['was approved', (acme: Governed, id: string) => acme.approve(id, { reason: 'yes' })],
    ['was rejected', (acme: Governed, id: string) => acme.reject(id, { reason: 'no' })],
    ['was withdrawn', (acme: Governed, id: string) => acme.reject(id, {}, { key: acme.live_key })],
    ['expired', () => local.advance(25 * 3_600_000).then(() => local.sweep())],
  ])('that %s as its evidence says is verified', async (_, happen) => {
    const acme = await governed(local)
    const { approval } = await acme.held()
    await happen(acme, approval.id)
    await local.drain()

    expect(await acme.approval(approval.id)).toMatchObject({ evidence_status: 'verified' })
    expect(await passed(acme)).toMatchObject({ result: 'complete', contradicted: 0, unnamed: 0 })
  })
})

describe('an execution', () => {
  const TAMPERED: [string, string, Partial<Execution>][] = [
    ['another requester', 'requested_by', { requested_by: FORGED }],
    ['another outcome', 'status', { status: 'failed' }],
    ['another latency', 'latency_ms', { latency_ms: 86_400 }],
    ['another action', 'action_id', { action_id: 'get_deal' }],
    ['another agent', 'agent_id', { agent_id: 'agent_forged' }],
    ['other evaluations', 'policy_evaluations', { evaluations: '[]' }],
    ['evidence of something else', 'evidence', { artifacts: [] }],
  ]

  test.each(TAMPERED)('that was given %s in the table is told as contradicted', async (_, named, change) => {
    const acme = await governed(local)
    const { receipt } = (await acme.execute('get_contact')).body
    await local.drain()
    await editExecution(acme, receipt.request_id, change)

    const contradicted = expect.arrayContaining([named])
    expect(await acme.look(receipt.request_id)).toMatchObject({ evidence_status: 'differs', contradicted })
    const [exported] = (await acme.call(exports.receipts)).body.items
    expect(exported).toMatchObject({ evidence_status: 'differs' })
    expect(JSON.stringify(exported)).not.toMatch(/usr_forged|86400|get_deal|agent_forged|"failed"/)
    expect(await passed(acme)).toMatchObject({ result: 'gaps' })
  })

  test('whose tier was changed is told as contradicted', async () => {
    const acme = await governed(local)
    const { receipt } = await acme.held()
    const was = await findExecution(acme.ctx, receipt.request_id)
    await editExecution(acme, was.id, { routing: was.routing.replace('"tier":"HARD"', '"tier":"AUTO"') })

    expect(await acme.look(was.id)).toMatchObject({ contradicted: ['routing_decision'] })
    expect(await passed(acme)).toMatchObject({ result: 'gaps', contradicted: 1, examples: [was.id] })
  })

  test('that is gone is missed by its evidence', async () => {
    const acme = await governed(local)
    const { receipt } = (await acme.execute('get_contact')).body
    await acme.ctx.table.commit([executions.remove({ ...acme.ctx.space, id: receipt.request_id })])

    const { evidence_artifact_id } = receipt
    expect(await passed(acme)).toMatchObject({ result: 'gaps', unnamed: 1, examples: [evidence_artifact_id] })
  })

  test.each(['get_contact', 'update_contact', 'delete_contact'])(
    'of %s as its evidence says is verified',
    async (id) => {
      const acme = await governed(local)
      const { receipt } = (await acme.execute(id)).body
      if (id === 'update_contact') await acme.undo(receipt.request_id)
      await local.drain()

      expect(await acme.look(receipt.request_id)).not.toHaveProperty('evidence_status')
      expect((await acme.call(exports.receipts)).body.items[0]).toMatchObject({ evidence_status: 'verified' })
      expect(await passed(acme)).toMatchObject({ result: 'complete' })
    },
  )
})

describe('a freeze', () => {
  const frozen = async () => {
    const acme = await governed(local, BROKERED, { require_human_approver: null })
    const params = { tenant_id: acme.tenant_id }
    const before = await steal(governancePointers.key(acme.ctx.space))
    const body = { scope: { tenant: true }, reason: 'It mailed the wrong customers.' }
    const { id } = (await acme.call(security.setFreeze, { params, body })).body
    const was = await acme.ctx.table.get(freezes, { ...acme.ctx.space, id })
    if (!was) throw new Error('there is no freeze')
    return { acme, was, id, before }
  }

  test('that stands as it was set is no gap', async () => {
    const { acme } = await frozen()
    expect(await passed(acme)).toMatchObject({ result: 'complete' })
  })

  test('that was taken from what requests read lets nothing run', async () => {
    const { acme, id } = await frozen()
    await tamper(governancePointers.key(acme.ctx.space), { freezes: undefined })
    coldStart()
    expectServerErrors()
    const raised = alarms()
    expect((await acme.execute('get_contact')).status).toBe(500)
    expect(raised).toContain('row_forged')
    expect(await passed(acme)).toMatchObject({ result: 'gaps', contradicted: 1, examples: [id, acme.tenant_id] })
  })

  test('that ended by putting back what requests read before is found, and lets nothing run where it was seen', async () => {
    const { acme, id, before } = await frozen()
    expect((await acme.execute('get_contact')).status).toBe(403)
    await plant(before)
    expectServerErrors()
    expect((await acme.execute('get_contact')).status).toBe(500)
    coldStart()
    expect((await acme.execute('get_contact')).status).toBe(200)
    expect(await passed(acme)).toMatchObject({ result: 'gaps', contradicted: 1, examples: [id] })
  })

  test.each([
    ['lifted', { status: 'lifted' as const }],
    ['of another scope', { scope: { action_kinds: ['read' as const] } }],
  ])('that the table alone calls %s is found', async (_, change) => {
    const { acme, was, id } = await frozen()
    await acme.ctx.table.commit([freezes.replace({ ...was, ...change }, was)])
    expect(await passed(acme)).toMatchObject({ result: 'gaps', contradicted: 1, examples: [id] })
  })
})

describe('a grant', () => {
  const granted = async () => {
    const acme = await governed(local)
    const grant = { max_s: 3_600, max_uses: 2 }
    const approval = { stages: [{ groups: ['any'] }], grant }
    await acme.policy({ name: 'ask', effect: 'require_approval', scope: { action_kinds: ['update'] }, approval })
    const held = await acme.held('update_contact')
    await acme.approve(held.approval.id, { allow_for_s: 3_600 })
    const pk = grantsKey(acme.ctx.space)
    const row = async () => {
      const [found] = await acme.ctx.table.query(grants, { pk, index: 'gsi1' })
      if (!found) throw new Error('there is no grant')
      return found
    }
    return { acme, row }
  }

  test('whose revocation was removed lets nothing run, and is found', async () => {
    const { acme, row } = await granted()
    const { id } = await row()
    await acme.call(approvals.revokeGrant, { params: { id }, key: acme.approver_key })
    expect(await passed(acme)).toMatchObject({ result: 'complete' })
    await tamper(grants.key(await row()), { revoked_at: undefined, revoked_by: undefined })
    const raised = alarms()
    expect((await acme.execute('update_contact')).status).toBe(202)
    expect(raised).toContain('row_forged')
    expect(await passed(acme)).toMatchObject({ result: 'gaps', contradicted: 1, examples: [id] })
  })

  test('one use of which was removed is found', async () => {
    const { acme, row } = await granted()
    const { request_id } = (await acme.execute('update_contact')).body.receipt
    expect(await passed(acme)).toMatchObject({ result: 'complete' })
    const use = { ...acme.ctx.space, grant_id: (await row()).id, request_id }
    await acme.ctx.table.commit([grantUses.remove(use)])
    expect(await passed(acme)).toMatchObject({ result: 'gaps', missing: 1, examples: [request_id] })
  })
})
