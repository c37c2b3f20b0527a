import { DAY_MS, iso } from '../../../../shared/base/lib/clock.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { controlsOf } from '../../../../shared/assure/catalogue/controls.ts'
import { checkResults } from '../../../../shared/assure/checks/check-result.ts'
import { findRun } from '../../../../shared/assure/checks/run.ts'
import {
  changeControl,
  placeOf,
  readControl,
  releaseOwned,
} from '../../../../shared/assure/frameworks/change-control.ts'
import { disableFramework } from '../../../../shared/assure/frameworks/disable-framework.ts'
import { enableFramework } from '../../../../shared/assure/frameworks/enable-framework.ts'
import { frameworks } from '../../../../shared/assure/frameworks/framework.ts'
import { readPosture } from '../../../../shared/assure/frameworks/framework-view.ts'
import { readState, statusRecords } from '../../../../shared/assure/frameworks/state.ts'
import { storeMoves } from '../../../../shared/assure/frameworks/store-moves.ts'
import { evidenceLinks } from '../../../../shared/assure/submissions/link.ts'
import type { Context } from '../../../../shared/base/context.ts'
import { artifacts } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import type { Plan } from '../../../../shared/base/limits/plans.ts'
import { Tenant, tenants } from '../../../../shared/base/tenant/tenant.ts'
import { accountIn, personIn } from '../../../support/person.ts'
import { foundedWorld, newestEvents, SPACE, TABLE, type World } from '../../ledger/evidence/world.ts'
import { linkOf, resultOf } from './make.ts'

let it: World
let ctx: Context
beforeEach(async () => {
  it = await foundedWorld()
  ctx = personIn(SPACE, ['admin'])
})

const onPlan = (plan: Plan) => {
  const id = SPACE.tenant_id
  const founded = { id, name: 'Acme', plan, status: 'active', created_at: iso(it.clock.now()) }
  return ctx.table.commit([tenants.insert(Tenant.parse(founded))])
}
const enable = (id: string, body = {}) => enableFramework(ctx, id, body)
const items = (type: string) => it.table.items(TABLE).filter((item) => item._type?.S === type)
const actions = () => items('AUDIT').map((item) => item.action?.S)
const found = (id: string, status: 'pass' | 'fail') =>
  ctx.table.commit([checkResults.insert({ ...resultOf(id, status), ...SPACE, evaluated_at: iso(it.clock.now()) })])
const later = (ms: number) => it.clock.moveTo(it.clock.now() + ms)
const ended = () => ({ id: 'run_1', ended_at: iso(it.clock.now()) })
const historyOf = async (control: string) =>
  (await readControl(ctx, 'soc2', control)).history.map(({ from, to }) => `${from} > ${to}`)

describe('enabling a framework', () => {
  test('stores it with its evidence and event, and asks for a full run', async () => {
    await enable('soc2', { scope: { privacy: true } })
    const events = newestEvents(it)
    const { setting } = await readState(ctx, 'soc2')

    expect(setting).toMatchObject({
      enabled: true,
      scope: { privacy: true },
      evidence_validity_days: 180,
      window_days: 90,
    })
    expect(events.find(({ type }) => type === 'compliance.framework.updated')?.data).toMatchObject({
      framework_id: 'soc2',
      enabled: true,
      scope: { privacy: true, availability: false },
      catalogue_version: '2017-rev-2022',
    })
    expect(actions()).toEqual(['framework.enabled'])
    const [run] = items('CHECK_RUN')
    expect(await findRun(ctx, run?.sk?.S ?? '')).toMatchObject({ trigger: 'enable', scope: 'full' })
    expect(it.sqs.messages).toHaveLength(1)
  })

  test('again changes what is given, and nothing when nothing differs', async () => {
    await enable('soc2', { scope: { privacy: true }, window_days: 30 })
    later(1_000)
    const before = (await readState(ctx, 'soc2')).setting

    expect(await enable('soc2', { scope: { privacy: true } })).toBe(false)
    expect(await enable('soc2', { evidence_validity_days: 365 })).toBe(true)
    expect((await readState(ctx, 'soc2')).setting).toMatchObject({ ...before, _v: 2, evidence_validity_days: 365 })
    expect(actions()).toEqual(['framework.enabled', 'framework.updated'])
  })

  test('is refused for an unknown framework, tag or owner', async () => {
    await expect(enable('soc3')).rejects.toMatchObject({ kind: 'not_found' })
    await expect(enable('soc2', { scope: { security: true } })).rejects.toMatchObject({
      kind: 'invalid',
      detail: [{ loc: ['body', 'scope', 'security'] }],
    })
    await expect(enable('gdpr', { scope: { privacy: true } })).rejects.toMatchObject({ kind: 'invalid' })
    const leaver = await accountIn(SPACE, ['member'], { status: 'suspended' })
    for (const owner_user_id of [leaver.id, 'usr_nobody']) {
      await expect(enable('soc2', { owner_user_id })).rejects.toMatchObject({
        kind: 'invalid',
        detail: [{ loc: ['body', 'owner_user_id'] }],
      })
    }
    expect(items('FRAMEWORK')).toEqual([])
  })

  test('beyond the plan is refused, and a disabled one frees its place', async () => {
    await onPlan('team')
    await enable('soc2')
    await enable('eu_ai_act')
    await expect(enable('gdpr')).rejects.toMatchObject({ kind: 'forbidden', options: { code: 'plan_limit' } })
    expect(await enable('soc2', { window_days: 7 })).toBe(true)
    await disableFramework(ctx, 'soc2')

    expect(await enable('gdpr')).toBe(true)
    expect(await disableFramework(ctx, 'soc2')).toBe(false)
    expect(actions()).toContain('framework.disabled')
  })

  test('of two at once, with room for one, lets one pass', async () => {
    await onPlan('free')
    const outcomes = await Promise.allSettled([enable('soc2'), enable('gdpr'), enable('hipaa')])

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(items('FRAMEWORK')).toHaveLength(1)
  })
})

describe('what has moved', () => {
  test('is stored once, with the status before and after', async () => {
    await enable('soc2')
    await storeMoves(ctx)
    await found('GOV-01', 'fail')
    await Promise.all([storeMoves(ctx), storeMoves(ctx)])
    await storeMoves(ctx)

    expect(await historyOf('p1.1')).toEqual(['not_assessed > not_applicable'])
    expect(await historyOf('cc5.1')).toEqual(['not_assessed > not_met'])
    expect(await ctx.table.get(statusRecords, { ...SPACE, framework_id: 'soc2' })).not.toHaveProperty('last_run')
  })

  test('by the end of evidence is found by the next look, and the status does not wait for it', async () => {
    await enable('soc2')
    const link = { ...linkOf('soc2', 'CC1.1'), ...SPACE, collected_at: iso(it.clock.now()) }
    await ctx.table.commit([evidenceLinks.insert({ ...link, valid_until: iso(it.clock.now() + DAY_MS) })])
    await storeMoves(ctx)
    later(DAY_MS)

    expect(await readControl(ctx, 'soc2', 'cc1.1')).toMatchObject({
      status: 'not_assessed',
      evidence: [{ status: 'expired' }],
    })
    await storeMoves(ctx)
    expect(await historyOf('cc1.1')).toEqual(['met > not_assessed', 'not_assessed > met'])
  })

  test('in a full run leaves the score of the day, which a later run of that day replaces', async () => {
    await enable('gdpr')
    await storeMoves(ctx, ended())
    await found('EVD-01', 'pass')
    const last = ended()
    await storeMoves(ctx, last)
    const [posture] = (await readPosture(ctx)).frameworks

    expect(posture).toMatchObject({ stale: false, last_run_at: last.ended_at })
    expect(posture?.score).toBeGreaterThan(0)
    expect(posture?.trend.at(-1)).toEqual({ date: '2026-11-20', score: posture?.score })
    expect(posture?.trend.filter(({ score }) => score !== null)).toHaveLength(1)
  })

  test('after a change of the catalogue is told by the next full run', async () => {
    await enable('gdpr')
    const was = (await readState(ctx, 'gdpr')).setting
    if (!was) throw new Error('it is enabled')
    await ctx.table.commit([frameworks.replace({ ...was, catalogue_version: 'former' }, was)])
    await storeMoves(ctx, ended())

    expect(newestEvents(it).map(({ data }) => data)).toContainEqual(
      expect.objectContaining({ framework_id: 'gdpr', changed_fields: ['catalogue_version'] }),
    )
    expect((await readState(ctx, 'gdpr')).setting?.catalogue_version).toBe('2016/679')
  })

  test('is stored for enabled frameworks only', async () => {
    await enable('gdpr')
    await disableFramework(ctx, 'gdpr')
    await storeMoves(ctx, ended())

    expect(items('STANDING')).toEqual([])
    expect(await readPosture(ctx)).toMatchObject({ overall_score: 0, frameworks: [] })
  })
})

describe('a control', () => {
  const place = () => placeOf('soc2', 'cc6.1')

  test('takes an owner and a note, and loses them to null', async () => {
    const { id } = await accountIn(SPACE, ['auditor'])
    await changeControl(ctx, place(), { owner_user_id: id, note: 'Quarterly.' })
    expect(await readControl(ctx, 'soc2', 'cc6.1')).toMatchObject({ owner_user_id: id, note: 'Quarterly.', version: 2 })
    await changeControl(ctx, place(), { owner_user_id: null, note: null, version: 2 })

    expect(await readControl(ctx, 'soc2', 'cc6.1')).toMatchObject({ owner_user_id: null, note: null, version: 3 })
    expect(await changeControl(ctx, place(), { note: null })).toBe(false)
    expect(actions()).toEqual(['control.updated', 'control.updated'])
  })

  test('leaves an artifact without the text of the note', async () => {
    await changeControl(ctx, place(), { note: 'canary-note' })

    expect(JSON.stringify(items(artifacts.name))).toContain('compliance.control.updated')
    expect(JSON.stringify(items(artifacts.name))).not.toContain('canary-note')
  })

  test('is changed by one of two who both read the same version', async () => {
    const both = ['one', 'other'].map((note) => changeControl(ctx, place(), { note, version: 1 }))
    const outcomes = await Promise.allSettled(both)

    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('that is not in the catalogue is not found', () => {
    for (const [framework, key] of [
      ['soc2', 'CC6.1'],
      ['soc3', 'cc6.1'],
      ['soc2', '__proto__'],
    ] as const)
      expect(() => placeOf(framework, key)).toThrow(expect.objectContaining({ kind: 'not_found' }))
  })
})

test('what somebody looked after in either mode goes back to nobody when they leave, and nothing else does', async () => {
  const [ada, bob] = [await accountIn(SPACE, ['admin']), await accountIn(SPACE, ['auditor'])]
  const sandbox = personIn({ ...SPACE, mode: 'test' }, ['admin'])
  const all = controlsOf('iso27001').slice(0, 45)
  for (const { id } of all) {
    const place = placeOf('iso27001', id.toLowerCase())
    await changeControl(ctx, place, { owner_user_id: ada.id, note: id })
  }
  await changeControl(ctx, placeOf('gdpr', '5-1-a'), { owner_user_id: bob.id })
  await enable('soc2', { owner_user_id: ada.id })
  await enableFramework(sandbox, 'gdpr', { owner_user_id: ada.id })
  await releaseOwned(ctx, ada.id)
  await releaseOwned(ctx, ada.id)

  const owners = [...items('CONTROL'), ...items('FRAMEWORK')].flatMap((item) => item.owner_user_id?.S ?? [])
  expect(owners).toEqual([bob.id])
  expect(items('CONTROL').filter((item) => item.note)).toHaveLength(45)
})
