// What follows from decisions: superseding, runs of checks, and the end of what was accepted.
import { beforeEach, describe, expect, test } from 'vitest'
import { decideEvidence } from '../../../../shared/assure/decisions/decide.ts'
import { EVIDENCE_CHECKS, sweepEvidence } from '../../../../shared/assure/decisions/settle.ts'
import { CHECKS } from '../../../../shared/assure/catalogue/catalogue.ts'
import { enableFramework } from '../../../../shared/assure/frameworks/enable-framework.ts'
import { readControl } from '../../../../shared/assure/frameworks/change-control.ts'
import { readPosture } from '../../../../shared/assure/frameworks/framework-view.ts'
import { linksNow } from '../../../../shared/assure/submissions/link.ts'
import { listEvidence, SubmissionFilters, submissionView } from '../../../../shared/assure/submissions/view.ts'
import { submissions } from '../../../../shared/assure/submissions/submission.ts'
import { Tenant, tenants } from '../../../../shared/base/tenant/tenant.ts'
import { SPACE, type World } from '../../ledger/evidence/world.ts'
import { auditor, BAD, DAY, GOOD, headersOf, officeWorld, owner, stored, submit } from './make.ts'

let it: World
beforeEach(async () => {
  it = await officeWorld()
})

const aDayLater = () => it.clock.moveTo(it.clock.now() + DAY)
const accept = async (over: object = {}, controls?: string[]) => {
  const { id } = await submit(over, controls && { controls })
  await decideEvidence(auditor(), id, GOOD)
  return id
}
const statusOf = async (id: string) => submissionView(await stored(it, id), it.clock.now()).status
const ids = async (filters: object) =>
  (await listEvidence(it.ctx, SubmissionFilters.parse(filters))).items.map(({ id }) => id)
const typesOf = (id: string) => headersOf(it, id).map(({ type }) => type.slice('compliance.evidence.'.length))
const runs = () => it.sqs.messages.filter(({ queue }) => queue.endsWith('checks'))

describe('a newer piece of the same kind', () => {
  test('supersedes an older one once it stands at each of its controls', async () => {
    const first = await accept({}, ['CC6.2', 'CC6.3'])
    aDayLater()
    await accept({}, ['CC6.3'])
    expect(await statusOf(first)).toBe('accepted')

    await accept({}, ['CC6.2', 'CC6.1'])
    expect(await statusOf(first)).toBe('superseded')
    expect(typesOf(first)).toEqual(['submitted', 'accepted', 'superseded'])
  })

  test('that is accepted first supersedes the older one as soon as that is accepted', async () => {
    const collected_at = new Date(it.clock.now() - DAY).toISOString()
    await accept()
    const older = await accept({ collected_at })

    expect(await statusOf(older)).toBe('superseded')
    expect(typesOf(older)).toEqual(['submitted', 'accepted', 'superseded'])
  })

  test('leaves what was submitted or is of another kind as it is', async () => {
    const [policy, waiting] = [await accept({ kind: 'policy' }), (await submit()).id]
    aDayLater()
    await accept()

    expect([await statusOf(policy), await statusOf(waiting)]).toEqual(['accepted', 'submitted'])
  })
})

describe('the check that looks for such evidence', () => {
  test('runs after acceptance, and not after rejection', async () => {
    const { id } = await submit()
    await decideEvidence(auditor(), id, BAD)
    expect(runs()).toEqual([])

    await accept()
    expect(runs()).toHaveLength(1)
  })

  test('exists in the catalogue for each kind, and no other does', () => {
    const known = CHECKS.filter(({ kind }) => kind === 'evidence').map(({ id }) => id)

    expect(Object.values(EVIDENCE_CHECKS).toSorted()).toEqual(known.toSorted())
  })
})

test('what was interrupted after a decision is done by the sweeper, once', async () => {
  const first = await accept()
  aDayLater()
  const second = await accept()
  const [one, two] = [await stored(it, first), await stored(it, second)]
  // As the process left them that died after its commit.
  await it.ctx.table.commit([
    submissions.replace({ ...one, status: 'accepted', evidence_artifact_id: headersOf(it, first)[1].artifact_id }, one),
    submissions.replace({ ...two, unsettled: true }, two),
  ])
  expect(submissions.index?.({ ...two, unsettled: true }).gsi2sk).toContain(two.decision?.at)

  await sweepEvidence(it.ctx, second)
  await sweepEvidence(it.ctx, second)
  expect([await statusOf(first), await statusOf(second)]).toEqual(['superseded', 'accepted'])
  expect(typesOf(first).filter((type) => type === 'superseded')).toHaveLength(2) // the first of them before the process died
  expect(await stored(it, second)).not.toHaveProperty('unsettled')
})

describe('accepted evidence', () => {
  const END = '2026-11-25T10:00:00.000Z'
  const untilEnd = () => it.clock.moveTo(Date.parse(END))

  test('is over at its end for whoever reads it, before anybody has stored that', async () => {
    const id = await accept({ valid_until: END })
    untilEnd()

    expect(await statusOf(id)).toBe('expired')
    expect(await linksNow(it.ctx, it.clock.now())).toMatchObject([{ evidence_id: id, status: 'expired' }])
    expect([await ids({ status: 'accepted' }), await ids({ status: 'expired' })]).toEqual([[], [id]])
    expect(typesOf(id)).toEqual(['submitted', 'accepted'])
  })

  test('leaves its end as evidence, once, and not before', async () => {
    const id = await accept({ valid_until: END })
    await sweepEvidence(it.ctx, id)
    untilEnd()
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await sweepEvidence(it.ctx, id)

    expect(typesOf(id)).toEqual(['submitted', 'accepted', 'expired'])
    expect(await stored(it, id)).toMatchObject({ status: 'expired' })
  })

  test('that was over before it was accepted falls due when it is accepted, where the sweeper looks', async () => {
    const id = await accept({ collected_at: '2025-01-01T00:00:00.000Z' })
    const found = await stored(it, id)

    expect(found.decision?.valid_until).toBe('2025-06-30T00:00:00.000Z')
    expect(submissions.index?.(found).gsi2sk).toContain(found.decision?.at)
  })
})

describe('the history of controls', () => {
  const END = '2026-11-25T10:00:00.000Z'
  const refs = [
    { framework_id: 'soc2', control_id: 'CC1.1' },
    { framework_id: 'iso27001', control_id: 'A.5.4' },
  ]
  const moved = async (framework: string, key: string) =>
    (await readControl(it.ctx, framework, key)).history.map(({ from, to }) => `${from} > ${to}`)
  const both = async () => [await moved('soc2', 'cc1.1'), await moved('iso27001', 'a.5.4')]
  beforeEach(async () => {
    const founded = { id: SPACE.tenant_id, name: 'Acme', plan: 'team', status: 'active', created_at: '2026-01-01' }
    await it.ctx.table.commit([tenants.insert(Tenant.parse(founded))])
    for (const framework of ['soc2', 'iso27001']) await enableFramework(owner(), framework, {})
  })

  test('has what one piece of evidence moves at every control that it names, without a run', async () => {
    await accept({ kind: 'policy', control_refs: refs })

    expect(await both()).toEqual([['not_assessed > met'], ['not_assessed > met']])
  })

  test('has its end, once, although nobody looks', async () => {
    const id = await accept({ kind: 'policy', control_refs: refs, valid_until: END })
    it.clock.moveTo(Date.parse(END))
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await sweepEvidence(it.ctx, id)
    const ended = ['met > not_assessed', 'not_assessed > met']

    expect(await both()).toEqual([ended, ended])
  })

  test('has a justified exclusion, which counts the control no longer', async () => {
    const before = await readPosture(it.ctx)
    const kind = 'not_applicable_justification'
    await accept({ kind, statement: 'This tenant has no board: its owner decides alone.' }, ['CC1.2'])
    const after = await readPosture(it.ctx)

    expect(await moved('soc2', 'cc1.2')).toEqual(['not_assessed > not_applicable'])
    expect(after.frameworks[0]?.controls_total).toBe((before.frameworks[0]?.controls_total ?? 0) - 1)
  })
})

describe('the list of submitted evidence', () => {
  test('filters by status, kind, control and end', async () => {
    const accepted = await accept({ valid_until: '2026-12-01T00:00:00.000Z' }, ['CC6.2'])
    const waiting = (await submit({ kind: 'scan' })).id

    expect(await ids({})).toEqual([waiting, accepted])
    expect(await ids({ status: 'submitted' })).toEqual([waiting])
    expect(await ids({ kind: 'scan' })).toEqual([waiting])
    expect(await ids({ framework_id: 'gdpr' })).toEqual([])
    expect(await ids({ framework_id: 'soc2', control_id: 'CC6.2' })).toEqual([accepted])
    expect(await ids({ control_id: 'cc6.2' })).toEqual([accepted])
    expect(await ids({ expires_before: '2026-12-01T00:00:00.001Z' })).toEqual([accepted])
    expect(await ids({ expires_before: '2026-12-01T00:00:00.000Z' })).toEqual([])
  })

  test('leaves out a decision that the chain does not prove, and says so', async () => {
    const was = await submit()
    const decision = { ...GOOD, by: { type: 'user' as const, id: 'usr_auditor' }, at: was.submitted_at }
    await it.ctx.table.commit([submissions.replace({ ...was, status: 'accepted', decision }, was)])
    const { items } = await listEvidence(it.ctx, {})

    expect(items).toMatchObject([{ evidence_status: 'differs', contradicted: ['evidence'] }])
    expect(items[0]).not.toHaveProperty('decision')
  })
})
