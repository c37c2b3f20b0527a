// What the minute sweeper does about work that takes too long.
import { beforeEach, describe, expect, test } from 'vitest'
import { alerts } from '../../../functions/alerts/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { NOBODY, openTask } from '../../../shared/govern/tasks/open-task.ts'
import { commitTask } from '../../../shared/govern/tasks/store-task.ts'
import { artifactKey, artifacts } from '../../../shared/ledger/evidence/artifact/artifact.ts'
import { Header } from '../../../shared/ledger/evidence/artifact/header.ts'
import { WORK_OVERDUE } from '../../../shared/operate/alerts/built-in-rules.ts'
import { builtInId } from '../../../shared/operate/definitions/definition.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { mailsIn } from '../../support/mails.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
})

const MINUTE = 60_000
const create = async (body: object = {}) =>
  bodyOf(await acme.call(work.createTask, { body: { title: 'Look', assignee: null, ...body } }), 201)
const taskOf = async (id: string) => bodyOf(await acme.call(work.getTask, { params: { id } }), 200)
const change = async (id: string, body: object) =>
  bodyOf(await acme.call(work.updateTask, { params: { id }, body }), 200)

/** Twice, since a sweep that comes again must find nothing to do. */
async function sweepAfter(minutes: number) {
  await local.advance(minutes * MINUTE)
  await local.sweep()
  await local.sweep()
}

/** Those that an SLA raised. */
const alertsOf = async () => {
  const query = { rule_id: builtInId('rul', acme.ctx.space, WORK_OVERDUE) }
  return bodyOf(await acme.call(alerts.list, { params: { tenant_id: acme.tenant_id }, query }), 200).items
}

/** Data of the artifacts about one thing, oldest first. */
async function artifactsOf(type: string, id: string) {
  await local.drain()
  const { items } = bodyOf(await acme.call(evidence.latest, { query: { type, limit: 100 } }), 200)
  const { table, space } = acme.ctx
  const stored = await table.getAll(
    artifacts,
    items.map(({ artifact_id }: { artifact_id: string }) => artifactKey(space, artifact_id)),
  )
  const headers = stored.map(({ header }) => Header.parse(JSON.parse(header))).toReversed()
  return headers.filter(({ subject }) => subject?.id === id).map(({ data }) => data)
}

describe('a task', () => {
  test('that takes too long leaves each miss and each escalation once', async () => {
    const { id } = await create({ priority: 'low' })
    await sweepAfter(8 * 60)
    expect(await artifactsOf('sla.missed', id)).toEqual([{ policy_id: 'sla_default', clock: 'first_response' }])

    await sweepAfter(5 * 24 * 60 - 8 * 60)
    expect(await artifactsOf('sla.missed', id)).toHaveLength(2)
    expect(await artifactsOf('sla.escalated', id)).toMatchObject([
      { after_percent: 80, action: 'notify' },
      { after_percent: 100, action: 'raise_priority' },
    ])
    expect(await taskOf(id)).toMatchObject({
      status: 'open',
      priority: 'medium',
      sla: { status: 'active_with_misses', breaches: ['first_response', 'resolution'], escalated: [80, 100] },
    })
    expect(mailsIn(local.directory).filter(({ subject }) => subject === 'Running late: Look').length).toBeGreaterThan(0)
  })

  test('that ended late has missed it, and says so although no sweeper saw it in time', async () => {
    const { id } = await create()
    await local.advance(9 * 60 * MINUTE)
    expect(await change(id, { status: 'completed' })).toMatchObject({ sla: { status: 'missed' } })
    await sweepAfter(1)
    expect(await artifactsOf('sla.missed', id)).toHaveLength(1)
    expect(await artifactsOf('sla.escalated', id)).toEqual([])
  })

  test('that is blocked misses nothing, and keeps what it had used up under another priority', async () => {
    const { id } = await create()
    await local.advance(60 * MINUTE)
    await change(id, { status: 'blocked' })
    await change(id, { priority: 'urgent' })
    await sweepAfter(10 * 24 * 60)
    const { sla } = await change(id, { status: 'in_progress' })
    expect(sla).toMatchObject({ status: 'active', breaches: [] })
    expect(Math.round(sla.consumed_ms / MINUTE)).toBe(60)
    expect(await artifactsOf('sla.missed', id)).toEqual([])
  })
})

describe('the step of an incident', () => {
  test('that is urgent raises an alert at twice its time, unless its rule is turned off', async () => {
    const step = async () => {
      const id = acme.ctx.id('tsk')
      const draft = { id, title: 'Restart', kind: 'incident_step', priority: 'urgent', assigned: NOBODY } as const
      return (await commitTask(acme.ctx, await openTask(acme.ctx, draft))).id
    }
    const task_id = await step()
    await sweepAfter(480)
    const [alert] = await alertsOf()
    expect(alert).toMatchObject({ status: 'firing', labels: { task_id }, title: 'Overdue: Restart' })
    await change(task_id, { status: 'cancelled' })
    await sweepAfter(2)
    expect(await alertsOf()).toMatchObject([{ status: 'resolved' }])

    const params = { tenant_id: acme.tenant_id, id: alert.rule_id }
    bodyOf(await acme.call(alerts.updateRule, { params, body: { enabled: false } }), 200)
    await step()
    await sweepAfter(480)
    expect(await alertsOf()).toHaveLength(1)
  })
})

describe('an approval', () => {
  test('that waits too long gets a task, and nobody more may vote', async () => {
    const { approval } = await acme.held()
    await sweepAfter(30)
    expect(await artifactsOf('sla.missed', approval.id)).toMatchObject([{ clock: 'first_response' }])
    expect(await acme.approval(approval.id)).not.toHaveProperty('task_id')

    await sweepAfter(170)
    const escalated = await acme.approval(approval.id)
    expect(escalated).toMatchObject({ status: 'pending', task_id: approval.id.replace('apr_', 'tsk_') })
    expect(escalated.stages).toEqual([{ groups: ['any'], min_approvals: 1, mode: 'any', status: 'open' }])
    expect(await taskOf(escalated.task_id)).toMatchObject({
      kind: 'approval',
      status: 'open',
      created_by: { type: 'system' },
    })

    await sweepAfter(50)
    expect(await artifactsOf('sla.missed', approval.id)).toHaveLength(2)
    const approved = bodyOf(await acme.approve(approval.id), 200)
    expect(approved.sla).toMatchObject({ status: 'missed', breaches: ['first_response', 'resolution'] })
    expect((await acme.approval(approval.id)).evidence_status).not.toBe('differs')
    expect(await taskOf(escalated.task_id)).toMatchObject({ status: 'completed' })
  })

  test('that waits twice as long as it may raises one alert, which is over when it is decided', async () => {
    const { approval } = await acme.held()
    await sweepAfter(480)
    await sweepAfter(240) // its task is as late by then
    const [alert, ...others] = await alertsOf()
    expect(others).toEqual([])
    expect(alert).toMatchObject({
      status: 'firing',
      severity: 'high',
      labels: { approval_id: approval.id },
      title: 'Overdue: the decision on delete_contact of crm.contacts.editor',
      value: 200,
    })

    bodyOf(await acme.approve(approval.id), 200)
    await sweepAfter(2)
    expect(await alertsOf()).toMatchObject([{ id: alert.id, status: 'resolved', resolution: 'recovered' }])
  })

  test('that was decided late says so, although no sweeper saw it in time', async () => {
    const { approval } = await acme.held()
    await local.advance(31 * MINUTE)
    bodyOf(await acme.approve(approval.id), 200)
    await sweepAfter(1)
    expect(await artifactsOf('sla.missed', approval.id)).toMatchObject([{ clock: 'first_response' }])
  })

  test('past its expiry is refused before the sweeper has run, and is expired afterwards', async () => {
    const { approval } = await acme.held()
    await local.advance(24 * 60 * MINUTE)
    bodyOf(await acme.approve(approval.id), 409)
    const events = await acme.told(() => sweepAfter(1))
    expect(await acme.approval(approval.id)).toMatchObject({ status: 'expired', sla: { status: 'missed' } })
    expect(events.filter(({ type }) => type === 'protocol.approval.requested')).toEqual([])
  })
})
