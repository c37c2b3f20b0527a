import { beforeAll, describe, expect, test } from 'vitest'
import { incidents } from '../../../functions/incidents/routes.ts'
import { runbooks } from '../../../functions/runbooks/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const HOUR = 3_600_000

const local = useLocalStack()
let acme: Governed
let other: Governed
beforeAll(async () => {
  acme = await governed(local)
  other = await governed(local)
})

const create = async (body: object = {}) =>
  bodyOf(await acme.call(incidents.create, { body: { title: 'Paid twice', severity: 'sev2', ...body } }), 201)
const change = (id: string, body: object) => acme.call(incidents.update, { params: { id }, body })
const get = async (id: string) => bodyOf(await acme.call(incidents.get, { params: { id } }), 200)
const task = async (id: string) => bodyOf(await acme.call(work.getTask, { params: { id } }), 200)

describe('POST /api/v1/operations/incidents', () => {
  test('201: an incident begins in triage, with its first line of the timeline and an event', async () => {
    let id = ''
    const told = await acme.told(async () => {
      ;({ id } = await create())
    })

    expect(await get(id)).toMatchObject({
      status: 'triage',
      source: 'manual',
      severity: 'sev2',
      duration_s: null,
      notification_due_at: null,
      timeline: [{ type: 'created', to: 'triage', actor: { type: 'api_key' } }],
    })
    expect(told.map(({ type }) => type)).toEqual(['evidence.emitted', 'artifact.created'])
    expect(told[1]?.data).toMatchObject({ artifact_type: 'incident', resource_id: id })
  })

  test.each([
    ['an alert that does not exist', { alert_ids: ['alt_missing'] }, 'alert_ids'],
    ['a person who does not exist', { commander_id: 'usr_missing' }, 'commander_id'],
    ['a runbook that does not exist', { runbook_id: 'rbk_missing' }, 'runbook_id'],
    ['a time that has not come', { detected_at: '2999-01-01T00:00:00.000Z' }, 'detected_at'],
  ])('422: %s', async (_, body, member) => {
    const refused = await acme.call(incidents.create, { body: { title: 'x', severity: 'sev4', ...body } })

    expect(refused.status).toBe(422)
    expect(refused.body.detail[0].loc).toContain(member)
  })
})

const MOVES: Record<string, string[]> = {
  triage: ['investigating', 'resolved'],
  investigating: ['identified', 'monitoring', 'resolved'],
  identified: ['monitoring', 'investigating', 'resolved'],
  monitoring: ['resolved', 'investigating'],
  resolved: ['investigating'],
  duplicated: [],
}
const WAY: Record<string, string[]> = {
  triage: [],
  investigating: ['investigating'],
  identified: ['investigating', 'identified'],
  monitoring: ['investigating', 'monitoring'],
  resolved: ['resolved'],
}

describe('PATCH /api/v1/operations/incidents/{id}', () => {
  test.each(Object.keys(WAY))('moves from %s to the states of the table and to no other', async (from) => {
    for (const to of Object.keys(MOVES).filter((status) => status !== from && status !== 'duplicated')) {
      const { id } = await create()
      for (const status of WAY[from] ?? []) bodyOf(await change(id, { status }), 200)
      const moved = await change(id, { status: to })

      expect(moved.status, `${from} to ${to}`).toBe(MOVES[from]?.includes(to) ? 200 : 409)
    }
  })

  test('200: a duplicate names the incident that it repeats, which is itself none', async () => {
    const [first, second, third] = [await create(), await create(), await create()]

    expect((await change(second.id, { status: 'duplicated' })).status).toBe(422)
    expect((await change(second.id, { status: 'duplicated', duplicate_of: second.id })).status).toBe(422)
    bodyOf(await change(second.id, { status: 'duplicated', duplicate_of: first.id }), 200)
    expect((await change(third.id, { status: 'duplicated', duplicate_of: second.id })).status).toBe(422)
    expect((await change(second.id, { status: 'investigating' })).status).toBe(409)
  })

  test('200: each change enters the timeline with who made it', async () => {
    const { id } = await create()
    await change(id, { status: 'investigating', note: 'I look into it.' })
    await change(id, { severity: 'sev1', root_cause: 'The gateway repeats requests.' })
    await change(id, { note: 'Only a note.' })

    const { timeline, root_cause } = await get(id)
    expect(root_cause).toBe('The gateway repeats requests.')
    expect(timeline.slice(1)).toMatchObject([
      { type: 'status', from: 'triage', to: 'investigating', note: 'I look into it.' },
      { type: 'changed', from: 'sev2', to: 'sev1', note: 'severity' },
      { type: 'changed', note: 'root_cause' },
      { type: 'note', note: 'Only a note.' },
    ])
  })

  test('200: a resolved incident is opened again within seven days, and not later', async () => {
    const { id } = await create()
    const resolved = bodyOf(await change(id, { status: 'resolved' }), 200)
    expect(resolved).toMatchObject({ status: 'resolved', duration_s: expect.any(Number) })

    await local.advance(7 * 24 * HOUR - 60_000)
    expect(bodyOf(await change(id, { status: 'investigating' }), 200)).toMatchObject({ duration_s: null })
    bodyOf(await change(id, { status: 'resolved' }), 200)
    await local.advance(7 * 24 * HOUR + 60_000)
    expect((await change(id, { status: 'investigating' })).status).toBe(409)
  })

  test('409: of two changes of one version the second is told the present one', async () => {
    const { id, version } = await create()
    const both = await Promise.all([
      change(id, { severity: 'sev1', version }),
      change(id, { severity: 'sev3', version }),
    ])

    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  })

  test('404: another tenant’s incident looks like a missing one', async () => {
    const { id } = await create()

    expect((await other.call(incidents.get, { params: { id } })).status).toBe(404)
    expect((await other.call(incidents.update, { params: { id }, body: { note: 'mine' } })).status).toBe(404)
  })
})

describe('a breach of personal data', () => {
  test('starts 72 hours with a task, and ends with the notification', async () => {
    const { id, detected_at } = await create({ personal_data_breach: true })
    const incident = await get(id)
    expect(Date.parse(incident.notification_due_at) - Date.parse(detected_at)).toBe(72 * HOUR)
    expect(await task(incident.breach_task_id)).toMatchObject({ kind: 'breach_notification', status: 'open' })

    expect((await change(id, { notified_at: '2000-01-01T00:00:00.000Z' })).status).toBe(422)
    bodyOf(await change(id, { notified_at: detected_at }), 200)
    expect(await task(incident.breach_task_id)).toMatchObject({ status: 'completed', resolution: 'notified' })
  })

  test('is told of once when nobody was notified in time', async () => {
    const { id } = await create({ personal_data_breach: true })
    const violations = async (hours: number) => {
      const told = await acme.told(async () => {
        await local.advance(hours * HOUR)
        await local.sweep()
      })
      return told.filter(({ type }) => type === 'compliance.violation.detected').map(({ data }) => data)
    }

    expect(await violations(71)).toEqual([])
    expect(await violations(2)).toMatchObject([{ check_id: 'PRV-04', failing_ids: [id], severity: 'critical' }])
    expect(await violations(100)).toEqual([])
  })

  test('that was none after all cancels its task and its clock', async () => {
    const { id } = await create({ personal_data_breach: true })
    const { breach_task_id } = await get(id)
    bodyOf(await change(id, { personal_data_breach: false }), 200)

    expect(await task(breach_task_id)).toMatchObject({ status: 'cancelled' })
    expect(await get(id)).toMatchObject({ notification_due_at: null })
  })
})

test('what people write is stored with placeholders where the tenant redacts', async () => {
  const careful = await governed(local)
  await careful.change({ pii_mode: 'redact' })
  const body = { title: 'Mail of ann@example.com leaked', severity: 'sev3', description: 'Ask ann@example.com.' }
  const { id } = bodyOf(await careful.call(incidents.create, { body }), 201)
  bodyOf(await careful.call(incidents.update, { params: { id }, body: { note: 'ann@example.com told us.' } }), 200)

  const shown = bodyOf(await careful.call(incidents.get, { params: { id } }), 200)
  expect(JSON.stringify(shown)).not.toContain('ann@example.com')
  expect(shown).toMatchObject({ title: 'Mail of [EMAIL_1] leaked', description: 'Ask [EMAIL_1].' })
})

describe('a linked runbook', () => {
  const steps = [{ title: 'Tell finance' }, { title: 'Pause refunds', instructions: 'In the console.' }]

  test('opens one task for each step, once, in the version that was linked', async () => {
    const made = bodyOf(await acme.call(runbooks.create, { body: { name: 'double-refunds', steps } }), 201)
    const { id } = await create({ runbook_id: made.id })
    bodyOf(await acme.call(runbooks.create, { body: { name: 'double-refunds', steps: [{ title: 'Other' }] } }), 201)
    bodyOf(await change(id, { note: 'Again.' }), 200)

    const incident = await get(id)
    expect(incident).toMatchObject({ runbook_id: made.id, runbook_version: 1 })
    const titles = await Promise.all(incident.step_task_ids.map(async (each: string) => (await task(each)).title))
    expect(titles).toEqual(['Tell finance', 'Pause refunds'])
  })

  test('is marked as used', async () => {
    const { items } = bodyOf(await acme.call(runbooks.list), 200)

    expect(items.find(({ name }: { name: string }) => name === 'double-refunds')).toMatchObject({
      runbook_version: 2,
      last_used_at: expect.any(String),
    })
    expect(items.filter(({ built_in }: { built_in: boolean }) => built_in)).toHaveLength(2)
  })
})
