// Rules that are looked at minute by minute: what fires, when, what goes with it and what ends it.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { alerts } from '../../../functions/alerts/routes.ts'
import { incidents } from '../../../functions/incidents/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { slos } from '../../../functions/slos/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { mailsIn } from '../../support/mails.ts'
import { personWith } from '../../support/people.ts'
import { signIn } from '../../support/sign-in.ts'
import { json, startTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MINUTE = 60_000

const local = useLocalStack()
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
})

const params = (id = '') => ({ tenant_id: acme.tenant_id, id })
const rule = async (body: object) =>
  bodyOf(
    await acme.call(alerts.createRule, {
      params: params(),
      body: { name: 'Rule', severity: 'high', for: '0m', ...body },
    }),
    201,
  )
const list = async (query: { status?: string } = {}) =>
  bodyOf(await acme.call(alerts.list, { params: params(), query }), 200).items
const get = async (id: string) => bodyOf(await acme.call(alerts.get, { params: params(id) }), 200)
const act = (what: 'acknowledge' | 'resolve', id: string, body: object = {}) =>
  acme.call(alerts[what], { params: params(id), body })

/** Goes on by so many minutes, and looks at the end of each. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    await local.advance(MINUTE)
    await local.sweep()
  }
}

const push = async (good: number, total: number) =>
  bodyOf(
    await acme.execute('push', {
      node_id: 'platform.metrics.custom',
      payload: { metrics: [{ name: 'checkout', good, total }] },
    }),
    200,
  )

const CUSTOM = {
  kind: 'threshold',
  metric: 'custom.checkout',
  aggregation: 'ratio',
  op: 'gt',
  threshold: 0.1,
  window: '5m',
}

describe('a rule about a threshold', () => {
  test('fires within 90 seconds of its minute and resolves once the ratio is fine again', async () => {
    const { id } = await rule({ ...CUSTOM, resolve_after: '2m', notify: { roles: ['owner'], task: true } })
    await push(9, 10)
    await pass(2)
    expect(await list()).toEqual([])

    await push(5, 10)
    const told = await acme.told(() => pass(2))
    const [alert] = await list({ status: 'firing' })
    expect(alert).toMatchObject({ rule_id: id, status: 'firing', value: 0.3, threshold: 0.1, occurrences: 1 })
    expect(told.map(({ type }) => type).filter((type) => type !== 'evidence.emitted')).toEqual([
      'artifact.created',
      'alert.firing',
    ])
    expect(bodyOf(await acme.call(work.getTask, { params: { id: alert.task_id } }), 200)).toMatchObject({
      source: { type: 'alert', id: alert.id },
    })

    await pass(6)
    expect(await get(alert.id), 'nothing was counted, so nothing is known').toMatchObject({ status: 'firing' })
    await push(10, 10)
    await pass(4)
    expect(await get(alert.id)).toMatchObject({ status: 'resolved', resolution: 'recovered', resolved_by: 'system' })
    const subjects = mailsIn(local.directory).map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject.includes('Rule'))).toEqual(['Alert (high): Rule', 'Resolved: Rule'])
  })

  test('waits as long as it says before it fires', async () => {
    await rule({ ...CUSTOM, for: '3m', window: '30m' })
    await push(0, 10)
    await pass(3)
    expect(await list()).toEqual([])
    await pass(2)
    expect(await list()).toHaveLength(1)
  })

  test('knows each node by itself where it is grouped', async () => {
    const target = await startTarget()
    onTestFinished(target.stop)
    target.next(json(400, { error: 'no' }))
    acme = await governed(local, [{ action_id: 'get_contact', target: { type: 'http', url: target.url } }])
    await rule({
      kind: 'threshold',
      metric: 'execution_success',
      aggregation: 'sum',
      op: 'gte',
      threshold: 1,
      group_by: ['node_id'],
    })
    await acme.execute('get_contact')
    await push(1, 1)
    await pass(2)

    const found = await list()
    expect(found.map(({ labels }: { labels: object }) => labels)).toEqual([{ node_id: 'crm.contacts.editor' }])
  })
})

describe('an alert that fires for days', () => {
  test('is not given up for a quiet minute', async () => {
    await rule(CUSTOM)
    for (let hour = 0; hour < 26; hour += 1) {
      await push(0, 10)
      await pass(2)
      await local.advance(58 * MINUTE)
    }
    await pass(10)

    expect(await list()).toMatchObject([{ status: 'firing', occurrences: 1 }])
  })
})

describe('a rule about events', () => {
  test('fires for the events that it waits for and no other', async () => {
    await rule({
      kind: 'event',
      event_types: ['policy.updated'],
      where: { change: 'created' },
      window: '10m',
      resolve_after: '0m',
    })
    await push(1, 1)
    await pass(2)
    expect(await list()).toEqual([])

    const body = {
      name: 'p',
      effect: 'forbid',
      when: { field: 'action.kind', op: 'eq', value: 'payment' },
      message: 'no',
    }
    await acme.policy(body)
    await pass(2)
    expect(await list()).toMatchObject([{ status: 'firing', value: 1, threshold: 1 }])
    await pass(12)
    expect(await list()).toMatchObject([{ status: 'resolved' }])
  })
})

describe('a rule about absence', () => {
  test('fires when a metric that was there has gone, and not before it was', async () => {
    await rule({ kind: 'absence', metric: 'custom.checkout', window: '10m', resolve_after: '0m' })
    await pass(15)
    expect(await list()).toEqual([])

    await push(1, 1)
    await pass(8)
    expect(await list()).toEqual([])
    await pass(5)
    expect(await list()).toMatchObject([{ status: 'firing', value: null }])

    await push(1, 1)
    await pass(2)
    expect(await list()).toMatchObject([{ status: 'resolved' }])
  })
})

describe('the burn rate of an objective', () => {
  const objective = { name: 'Checkout', sli: { metric: 'custom', name: 'checkout' }, target_percent: 99 }

  test('pages once for both windows, shows in the budget, and is over when the short window is clean', async () => {
    const slo = bodyOf(
      await acme.call(slos.create, { body: { ...objective, measurement_window: 'rolling-1d', min_events: 10 } }),
      201,
    )
    await push(50, 100)
    await pass(2)

    const [alert] = await list()
    expect(alert).toMatchObject({ severity: 'critical', labels: { slo_id: slo.id, burn: 'page' }, value: 50 })
    expect(await list()).toHaveLength(1)
    const budget = bodyOf(await acme.call(slos.errorBudget, { params: { id: slo.id } }), 200)
    expect(budget).toMatchObject({
      status: 'breached',
      total_events: 100,
      bad_events: 50,
      current_value: 50,
      budget_consumed_percent: 5_000,
      alerts_firing: [alert.id],
    })

    await pass(20)
    expect(await get(alert.id)).toMatchObject({ status: 'resolved' })
  })

  test('an objective that is deleted takes its alerts with it', async () => {
    const slo = bodyOf(await acme.call(slos.create, { body: { ...objective, measurement_window: 'rolling-1d' } }), 201)
    await push(0, 100)
    await pass(2)
    const [alert] = await list({ status: 'firing' })

    expect((await acme.call(slos.delete, { params: { id: slo.id } })).status).toBe(204)
    expect(await get(alert.id)).toMatchObject({ status: 'resolved', resolution: 'deleted' })
  })
})

describe('a filtered objective', () => {
  test('counts only what its filter names, from when it was made', async () => {
    await acme.execute('get_contact')
    await pass(2)
    const sli = { metric: 'execution_success', filter: { action_id: 'get_contact' } }
    const slo = bodyOf(
      await acme.call(slos.create, { body: { name: 'Reads', sli, target_percent: 99, min_events: 1 } }),
      201,
    )
    await pass(2)
    await acme.execute('get_contact')
    await acme.execute('update_contact')
    await pass(2)

    const budget = bodyOf(await acme.call(slos.errorBudget, { params: { id: slo.id } }), 200)
    expect(budget).toMatchObject({
      total_events: 1,
      bad_events: 0,
      status: 'healthy',
      counted_since: expect.any(String),
    })
  })
})

describe('people and alerts', () => {
  const fire = async (more: object = {}) => {
    await rule({ ...CUSTOM, window: '1h', ...more })
    await push(0, 10)
    await pass(2)
    const [alert] = await list()
    return alert
  }

  test('200: acknowledged it sleeps until its snooze ends, then fires again', async () => {
    const { id } = await fire()
    expect(bodyOf(await act('acknowledge', id, { snooze_minutes: 5, note: 'mine' }), 200)).toMatchObject({
      status: 'acked',
      acked_by: expect.stringMatching(/^key_/),
    })
    await pass(3)
    expect(await get(id)).toMatchObject({ status: 'acked' })
    await pass(4)
    expect(await get(id)).toMatchObject({ status: 'firing', occurrences: 1 })
  })

  test('200: resolved by hand a condition that still holds opens a new one', async () => {
    const { id } = await fire()
    expect(bodyOf(await act('resolve', id, { note: 'known' }), 200)).toMatchObject({
      status: 'resolved',
      resolution: 'manual',
    })
    expect(bodyOf(await act('resolve', id), 200)).toMatchObject({ status: 'resolved' })
    expect((await act('acknowledge', id)).status).toBe(409)

    await pass(2)
    const open = await list({ status: 'firing' })
    expect(open).toHaveLength(1)
    expect(open[0].id).not.toBe(id)
  })

  test('an incident is opened once for a rule, and its end resolves its alerts', async () => {
    const { id } = await fire({ auto_incident: true })
    const { incident_id } = await get(id)
    expect(bodyOf(await acme.call(incidents.get, { params: { id: incident_id } }), 200)).toMatchObject({
      source: 'alert',
      severity: 'sev2',
      alert_ids: [id],
    })
    await act('resolve', id)
    await pass(2)
    const [again] = await list({ status: 'firing' })
    expect(again.incident_id).toBe(incident_id)

    bodyOf(await acme.call(incidents.update, { params: { id: incident_id }, body: { status: 'resolved' } }), 200)
    expect(await get(again.id)).toMatchObject({ status: 'resolved' })
  })

  test('a muted rule opens alerts, and no mail, task or incident', async () => {
    const mute_until = new Date(local.clock.now() + 3_600_000).toISOString()
    const before = mailsIn(local.directory).length
    const alert = await fire({ mute_until, auto_incident: true, notify: { roles: ['owner'], task: true } })

    expect(alert).not.toHaveProperty('incident_id')
    expect(alert).not.toHaveProperty('task_id')
    expect(mailsIn(local.directory)).toHaveLength(before)
  })

  test('the workers that a rule names are told: people by mail, and one of all by the task', async () => {
    const owner = await signIn(local, acme.owner)
    const member = await personWith(local, owner, ['member'])
    const register = async (body: object) =>
      bodyOf(await owner.call(work.registerWorker, { body: { name: 'Worker', ...body } }), 201)
    const body = { name: 'Bot', kind: 'live', scopes: ['governance:write'], agent_id: 'agt_mender' }
    const { id: api_key_id } = bodyOf(await owner.call(keys.create, { body }), 201)
    const person = await register({ type: 'human', user_id: member.user_id, capacity: 1 })
    await register({ type: 'human', user_id: owner.user_id })
    const bot = await register({ type: 'ai', agent: { agent_id: 'agt_mender', api_key_id } })
    const unheard = { name: 'r', severity: 'low', ...CUSTOM, notify: { worker_ids: [person.id, bot.id] } }
    const missing = { ...unheard, notify: { worker_ids: ['wrk_missing'] } }
    for (const [given, index] of [
      [unheard, 1],
      [missing, 0],
    ] as const) {
      const refused = await acme.call(alerts.createRule, { params: params(), body: given })
      expect(bodyOf(refused, 422).detail[0].loc).toEqual(['body', 'notify', 'worker_ids', index])
    }

    bodyOf(
      await acme.call(work.createTask, { body: { title: 'x', assignee: { type: 'human', id: member.user_id } } }),
      201,
    )
    const alert = await fire({ notify: { worker_ids: [person.id, bot.id], task: true } })
    const told = mailsIn(local.directory).filter(({ subject }) => subject === 'Alert (high): Rule')
    expect(told.at(-1)?.to).toEqual([member.email])
    const { assignee } = bodyOf(await acme.call(work.getTask, { params: { id: alert.task_id } }), 200)
    expect(assignee).toEqual({ type: 'ai', id: bot.id }) // the person has as much as they take
  })

  test('a rule that is turned off or deleted ends its alerts', async () => {
    const { id, rule_id } = await fire()
    expect((await acme.call(alerts.deleteRule, { params: params(rule_id) })).status).toBe(204)
    expect(await get(id)).toMatchObject({ status: 'resolved', resolution: 'deleted' })
  })

  test('whoever was not told of its firing is not told of its end', async () => {
    const { id } = await fire({ notify: { webhook: false } })
    const told = await acme.told(() => act('resolve', id))

    expect(told.map(({ type }) => type)).toEqual(['evidence.emitted'])
  })

  test('404: another tenant’s alert looks like a missing one', async () => {
    const { id } = await fire()
    const other = await governed(local)
    const of = { tenant_id: other.tenant_id, id }

    expect((await other.call(alerts.get, { params: of })).status).toBe(404)
    expect((await other.call(alerts.resolve, { params: of, body: {} })).status).toBe(404)
    expect((await other.call(alerts.acknowledge, { params: of, body: {} })).status).toBe(404)
  })
})
