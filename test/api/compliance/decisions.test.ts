import { beforeAll, describe, expect, test } from 'vitest'
import { compliance } from '../../../functions/compliance/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { bodyOf as exampleOf } from '../../support/any-route.ts'
import type { Call } from '../../support/call.ts'
import { bodyOf } from '../../support/governed.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { personWith } from '../../support/people.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant
let auditor: Call
beforeAll(async () => {
  acme = await local.tenant()
  other = await local.tenant()
  auditor = (await personWith(local, await signIn(local, acme.owner), ['auditor'])).call
  bodyOf(await acme.call(compliance.enableFramework, { params: at('soc2'), body: {} }), 200)
})

const at = (id: string) => ({ tenant_id: acme.tenant_id, id })
const GOOD = { decision: 'accepted', reason: 'It covers all accounts.' }

async function submit(over: object = {}): Promise<string> {
  const body = {
    ...exampleOf(compliance.submitEvidence),
    source: 'statement',
    file: null,
    statement: 'The board met each month.',
    kind: 'policy',
    control_refs: [
      { framework_id: 'soc2', control_id: 'CC1.1' },
      { framework_id: 'iso27001', control_id: 'A.5.4' },
    ],
    ...over,
  }
  return bodyOf(await acme.call(compliance.submitEvidence, { params: { tenant_id: acme.tenant_id }, body }), 201).id
}
const decide = (id: string, body: object = GOOD, call: Call = auditor) =>
  call(compliance.decideEvidence, { params: at(id), body })
const controlOf = async (framework: string, control_key: string) =>
  bodyOf(await auditor(compliance.getControl, { params: { ...at(framework), control_key } }), 200)

describe('POST …/evidence/{id}/decision', () => {
  test('200: an auditor accepts, and the piece counts for all controls that it names', async () => {
    const id = await submit()
    const before = await controlOf('soc2', 'cc1.1')
    expect(await decide(id)).toMatchObject({ status: 200, body: { id, status: 'accepted' } })
    const after = await controlOf('soc2', 'cc1.1')

    expect(before).toMatchObject({ status: 'not_assessed', history: [] })
    expect(after).toMatchObject({ status: 'met', evidence: [{ id, status: 'current' }] })
    expect(after.history).toMatchObject([{ from: 'not_assessed', to: 'met' }])
    expect(await controlOf('iso27001', 'a.5.4')).toMatchObject({ status: 'not_assessed', evidence: [{ id }] })
    bodyOf(await acme.call(compliance.enableFramework, { params: at('iso27001'), body: {} }), 200)
    expect(await controlOf('iso27001', 'a.5.4')).toMatchObject({ status: 'met' })
  })

  test('200: by the second person of a new tenant, once the owner made them an auditor, as by four eyes', async () => {
    const founded = await local.tenant()
    const [owner, approver] = [await signIn(local, founded.owner), await signIn(local, founded.approver)]
    const tenant = { tenant_id: founded.tenant_id }
    const statement = { source: 'statement', file: null, statement: 'Everybody signed.', kind: 'policy' }
    const body = { ...exampleOf(compliance.submitEvidence), ...statement }
    const { id } = bodyOf(await owner.call(compliance.submitEvidence, { params: tenant, body }), 201)
    const accept = (call: Call) => call(compliance.decideEvidence, { params: { ...tenant, id }, body: GOOD })
    expect([(await accept(owner.call)).status, (await accept(approver.call)).status]).toEqual([403, 403])

    const roles = { params: { id: founded.approver.id }, body: { roles: ['approver', 'auditor'] } }
    bodyOf(await owner.call(users.setRoles, roles), 200)

    const { decision } = bodyOf(await accept(approver.call), 200)
    expect(decision).toMatchObject({ decision: 'accepted', by: { id: founded.approver.id } })
    expect(decision).not.toHaveProperty('self')
    expect(decision).not.toHaveProperty('raised_by')
  })

  test('403: by whoever could have submitted it', async () => {
    const id = await submit()

    expect((await decide(id, GOOD, acme.call)).status).toBe(403)
    expect(await auditor(compliance.getEvidence, { params: at(id) })).toMatchObject({ body: { status: 'submitted' } })
  })

  test('409: twice, and on another version than the present one', async () => {
    const id = await submit()
    const stale = await decide(id, { ...GOOD, version: 7 })
    expect(stale).toMatchObject({ status: 409, body: { code: 'version_conflict' } })
    bodyOf(await decide(id), 200)

    expect((await decide(id, { decision: 'rejected', reason: 'On second thoughts.' })).status).toBe(409)
  })

  test('404: of another tenant, and where there is none', async () => {
    const id = await submit()

    expect((await decide(id, GOOD, other.call)).status).toBe(404)
    expect(
      (await other.call(compliance.decideEvidence, { params: { ...at(id), tenant_id: other.tenant_id }, body: GOOD }))
        .status,
    ).toBe(404)
    expect((await decide('evd_01JD3Q8Z5N0A2C4E6G8J0M2P4R')).status).toBe(404)
  })

  test('404: an unknown framework, control, check or run', async () => {
    const unknown = [
      acme.call(compliance.enableFramework, { params: at('soc3'), body: {} }),
      acme.call(compliance.getControl, { params: { ...at('soc2'), control_key: 'cc99' } }),
      acme.call(compliance.getCheck, { params: { tenant_id: acme.tenant_id, check_id: 'GOV-99' } }),
      acme.call(compliance.getRun, { params: { tenant_id: acme.tenant_id, run_id: 'run_01JD3Q8Z5N9N1Q3S5V7X9Z1B3D' } }),
    ]

    expect((await Promise.all(unknown)).map(({ status }) => status)).toEqual([404, 404, 404, 404])
  })
})
