// What somebody with access to the table makes policies and settings say: nothing without the secret of the deployment, and with it
// nothing that a full pass does not find.
import { policyOf } from '../../../shared/govern/governance/policy.ts'
import { beforeEach, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { tenants } from '../../../functions/tenants/routes.ts'
import type { Mode } from '../../../shared/base/context.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import type { Stored } from '../../../shared/base/table/entity.ts'
import { governancePointers } from '../../../shared/base/tenant/tenant.ts'
import { moreRules, readRules } from '../../../shared/govern/governance/governance.ts'
import { findPointer, type Pointer, readSettings } from '../../../shared/govern/governance/settings.ts'
import { policies, policySetVersion, type StoredPolicy } from '../../../shared/govern/governance/stored-rules.ts'
import { BROKERED, bodyOf, type Governed, governed } from '../../support/governed.ts'
import { alarms, plant, steal, tamper } from '../../support/insider.ts'
import { expectServerErrors } from '../../support/server-errors.ts'
import { ownerInPerson } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let policy_id: string
beforeEach(async () => {
  acme = await governed(local)
  policy_id = (await acme.policy({ name: 'no reading', effect: 'forbid', scope: { action_kinds: ['read'] } })).policy_id
})

const params = () => ({ tenant_id: acme.tenant_id })

/** What the next full pass says of completeness. */
async function passed(of: Governed = acme) {
  await local.drain()
  await of.call(evidence.verify, { query: { full: true } })
  await local.drain()
  return bodyOf(await of.call(evidence.verify), 200).verification.completeness
}

async function pointer() {
  const found = await findPointer(acme.ctx.table, acme.ctx.space)
  if (!found) throw new Error('there is no pointer')
  return found
}

async function row() {
  const found = await acme.ctx.table.get(policies, { ...acme.ctx.space, policy_id })
  if (!found) throw new Error('there is no policy')
  return found
}

/** Members of a pointer that fits what stands in the table. */
async function fitting(change: Partial<Pointer> = {}): Promise<Partial<Pointer>> {
  const { table, space } = acme.ctx
  const rules = await readRules(table, space)
  const settings = readSettings({ ...(await pointer()), ...change })
  return { policy_set_version: policySetVersion(rules.policies.map(policyOf), settings, moreRules(rules)), ...change }
}

const place = () => governancePointers.key(acme.ctx.space)
/** Who has taken the secret, too. */
const bind = async (was: Stored<Pointer>, change: Partial<Pointer>) =>
  acme.ctx.table.commit([governancePointers.replace({ ...was, ...change }, was)])

const writeRow = async (change: Partial<StoredPolicy>) => {
  const was = await row()
  await acme.ctx.table.commit([policies.replace({ ...was, ...change }, was)])
}
const disabled = async () => ({ enabled: false, body: (await row()).body.replace('"enabled":true', '"enabled":false') })
const selfApproving = async () =>
  JSON.stringify({ ...readSettings(await pointer()), allow_self_approval: true, unknown_tier: 'SOFT' })

test.each(['live', 'test'] as const)('policies that people changed are no gap in %s mode', async (mode: Mode) => {
  const at = await governed(local, BROKERED, { mode })
  const tenant_id = { tenant_id: at.tenant_id }
  const saved = await at.policy({ name: 'no reading', effect: 'forbid', scope: { action_kinds: ['read'] } })
  const body = { settings: { governance: { trust_floor: 40 } } }
  bodyOf(await at.call(tenants.update, { key: at.live_key, params: tenant_id, body }), 200)
  const dates = { dates: ['2026-12-25'] }
  bodyOf(await at.call(security.saveCalendar, { params: { ...tenant_id, name: 'de' }, body: dates }), 200, 201)
  const words = { verbs: { payment: ['blorp'] }, nouns: {}, read_nouns: [] }
  const { call } = mode === 'test' ? at : await ownerInPerson(local, at)
  bodyOf(await call(security.saveLexicon, { params: tenant_id, body: words }), 200)
  const freeze = { scope: { action_kinds: ['payment'] }, reason: 'audit' }
  bodyOf(await at.call(security.setFreeze, { params: tenant_id, body: freeze }), 201)
  bodyOf(await call(security.disablePolicy, { params: { ...tenant_id, policy_id: saved.policy_id } }), 200)

  expect((await at.execute('get_contact')).status).toBe(200)
  expect(await passed(at)).toMatchObject({ result: 'complete' })
})

test.each(['live', 'test'] as const)('a setting of the founding is no gap in %s mode', async (mode: Mode) => {
  const at = await governed(local, BROKERED, { mode, require_human_approver: true })
  expect(await findPointer(at.ctx.table, at.ctx.space)).toMatchObject({ set_number: 1, moves: 1 })

  expect(await passed(at)).toMatchObject({ result: 'complete' })
})

test('a setting of the founding that was taken away is found', async () => {
  const at = await governed(local, BROKERED, { require_human_approver: true })
  const was = await findPointer(at.ctx.table, at.ctx.space)
  const settings = JSON.stringify({ ...readSettings(was), require_human_approver: false })
  const policy_set_version = policySetVersion([], readSettings({ settings }))
  await at.ctx.table.commit([governancePointers.replace({ ...was, settings, policy_set_version }, was)])

  expect(await passed(at)).toMatchObject({ result: 'gaps' })
})

const FORGED: [string, number, () => Promise<Partial<Pointer>>][] = [
  ['a policy that was disabled', 200, async () => (await writeRow(await disabled()), fitting())],
  [
    'a policy that was removed',
    200,
    async () => (await acme.ctx.table.commit([policies.remove(await row())]), fitting()),
  ],
  ['other settings', 403, async () => fitting({ settings: await selfApproving() })],
  ['settings that nobody counted', 403, async () => fitting({ settings: await selfApproving(), set_number: 3 })],
  ['settings of nobody', 403, async () => fitting({ settings: await selfApproving(), set_number: undefined })],
]

test.each(FORGED)('%s in the table decides nothing, and with the secret is found', async (_, status, happen) => {
  const was = await pointer()
  const change = await happen()
  await tamper(place(), change)
  coldStart()
  expectServerErrors()
  const raised = alarms()
  expect((await acme.execute('get_contact')).status).toBe(500)
  expect(raised).toContain('row_forged')

  await bind(was, change)
  coldStart()
  expect((await acme.execute('get_contact')).status).toBe(status)
  expect(await passed()).toMatchObject({ result: 'gaps' })
})

test('a row that somebody wrote is put into force by no later change, however strict', async () => {
  const { call, tenant_id } = acme
  await writeRow(await disabled())
  const mine = { tenant_id }
  const strict = { name: 'no deletions', effect: 'forbid', scope: { action_kinds: ['delete'] } }
  const settings = { governance: { trust_floor: 60 } }
  const dates = { dates: ['2026-12-25'] }
  const words = { verbs: { payment: ['blorp'] }, nouns: {}, read_nouns: [] }
  const replies = [
    await call(security.savePolicy, { params: mine, body: strict }),
    await call(tenants.update, { params: mine, body: { settings } }),
    await call(security.saveCalendar, { params: { ...mine, name: 'de' }, body: dates }),
    await call(security.saveLexicon, { params: mine, body: words }),
  ]

  expect(replies.map(({ status, body }) => [status, body.code])).toEqual(replies.map(() => [409, 'version_conflict']))
})

test('nobody approves their own request by settings that they wrote to the table', async () => {
  const genuine = await steal(place())
  const { approval } = await acme.held()
  const own = () => acme.approve(approval.id, {}, { key: acme.live_key })
  await plant({ ...genuine, ...(await fitting({ settings: await selfApproving() })) })
  coldStart()
  expectServerErrors()
  expect((await own()).status).toBe(500)
  expect(await passed()).toMatchObject({ result: 'gaps', missing: 1 })

  await plant(genuine)
  expect((await own()).status).toBe(403)
  expect(await acme.approval(approval.id)).toMatchObject({ status: 'pending' })
})

test.each([
  ['that is gone', () => acme.ctx.table.commit([governancePointers.remove(acme.ctx.space)])],
  ['with the members of the founding', () => plant({ ...place(), ...acme.ctx.space, _type: 'GOVERNANCE', _v: 1 })],
  [
    'of another tenant',
    async () => {
      const { tenant_id } = await local.tenant()
      const free = await steal(governancePointers.key({ ...acme.ctx.space, tenant_id }))
      await plant({ ...free, ...place(), ...acme.ctx.space })
    },
  ],
])('a pointer %s is not that of a tenant without policies', async (_, happen) => {
  await happen()
  coldStart()
  expectServerErrors()
  expect((await acme.execute('get_contact')).status).toBe(500)
  expect((await acme.as('sandbox').call(security.listPolicies, { params: params() })).status).toBe(200)
  expect(await passed()).toMatchObject({ result: 'gaps', missing: 1 })
})

test('a policy row that the pointer does not know is found, and decides nothing', async () => {
  await writeRow(await disabled())
  coldStart()
  expectServerErrors()
  expect((await acme.execute('get_contact')).status).toBe(500)
  expect(await passed()).toMatchObject({
    result: 'gaps',
    contradicted: 1,
    examples: [(await pointer()).set_artifact_id],
  })
})

test('earlier policies that were put back are found, and serve nothing in a process that has seen later ones', async () => {
  const [{ _v: before, ...loose }, { _v: version, ...free }] = [await pointer(), await row()]
  const { call } = await ownerInPerson(local, acme)
  bodyOf(await call(security.disablePolicy, { params: { ...params(), policy_id } }), 200)
  const { set_artifact_id: newest, _v } = await pointer()
  expect((await acme.execute('get_contact')).status).toBe(200)
  const put = [governancePointers.replace(loose, { _v }), policies.replace(free, await row())]
  await acme.ctx.table.commit(put)

  expectServerErrors()
  expect((await acme.execute('get_contact')).status).toBe(500)
  coldStart()
  expect((await acme.execute('get_contact')).status).toBe(403)
  expect([before, version]).toEqual([2, 1])
  expect(await passed()).toMatchObject({ result: 'gaps', contradicted: 1, examples: [newest] })
})

test('settings forged with the secret are found after a change that people made on top of them', async () => {
  await bind(await pointer(), await fitting({ settings: await selfApproving() }))
  await acme.policy({ name: 'no mails', effect: 'forbid', scope: { action_kinds: ['email'] } })
  const { set_artifact_id } = await pointer()
  expect(await passed()).toMatchObject({ result: 'gaps', contradicted: 1, examples: [set_artifact_id] })
})
