import { beforeEach, describe, expect, test } from 'vitest'
import type { Alert } from '../../../shared/operate/alerts/alert.ts'
import { alerts } from '../../../shared/operate/alerts/alert.ts'
import { RULES } from '../../../shared/operate/alerts/rule.ts'
import { builtInRules } from '../../../shared/operate/alerts/built-in-rules.ts'
import { operateFacts } from '../../../shared/operate/compliance-facts.ts'
import { type Incident, incidents } from '../../../shared/operate/incidents/incident.ts'
import { newIncident } from '../../../shared/operate/incidents/create-incident.ts'
import { builtInRunbooks } from '../../../shared/operate/runbooks/runbook.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { firstId } from '../../../shared/base/lib/ids.ts'
import { newAlert } from '../../support/alert.ts'
import { type Deployment, deploy } from '../edge/deployment.ts'

const DAY = 86_400_000
/** Of the tenant; the clock moves with each look. */
const NOW = Date.UTC(2026, 10, 20, 22, 38)
let it: Deployment
beforeEach(async () => {
  it = await deploy()
})

const ago = (days: number) => iso(NOW - days * DAY)
const ask = (days = 90) => ({ ctx: it.ctx, now: NOW, since: NOW - days * DAY })

describe('facts about alerts', () => {
  const alert = (id: string, over: Partial<Alert>) =>
    alerts.insert(newAlert(it.ctx, { id, starts_at: ago(2), ...over }))
  const move = (days: number, status: 'firing' | 'acked' | 'resolved', by = 'usr_1') => ({ at: ago(days), status, by })
  const answers = async () =>
    Object.fromEntries((await operateFacts.alerts(ask())).map(({ id, answered_at }) => [id, answered_at]))

  test('say when people first answered the present occurrence, also where a snooze took that away', async () => {
    await it.ctx.table.commit([
      alert('acked', { status: 'acked', history: [move(2, 'firing', 'system'), move(1, 'acked')] }),
      alert('woken', { history: [move(2, 'firing', 'system'), move(1, 'acked'), move(0.5, 'firing', 'system')] }),
      alert('resolved', { status: 'resolved', history: [move(2, 'firing', 'system'), move(1, 'resolved')] }),
      alert('recovered', { status: 'resolved', history: [move(1, 'resolved', 'system')] }),
      alert('again', { history: [move(3, 'acked'), move(2, 'firing', 'system')] }),
      alert('older', { starts_at: ago(91), history: [move(90.5, 'acked')] }),
    ])

    expect(await answers()).toEqual({
      acked: ago(1),
      woken: ago(1),
      resolved: ago(1),
      recovered: undefined,
      again: undefined,
    })
  })

  const critical = () => {
    const found = builtInRules(it.space).find(({ severity }) => severity === 'critical')
    if (!found) throw new Error('no critical rule')
    return found
  }
  const rule = async () => (await operateFacts.alert_rules(ask())).find(({ id }) => id === critical().id)

  test('recognise a critical rule of the service by its original severity, also after a tenant changed it', async () => {
    await it.ctx.table.commit([RULES.of.insert({ ...critical(), severity: 'low', where: { chain_valid: true } })])

    expect(await rule()).toMatchObject({ severity: 'low', seed: { watches: false } })
  })

  test('a runbook that is linked must be there', async () => {
    const [runbook] = builtInRunbooks(it.space)
    await it.ctx.table.commit([
      RULES.of.insert({ ...critical(), runbook_id: runbook?.id }),
      RULES.of.insert({ ...critical(), id: 'rul_own', name: 'own', runbook_id: 'rbk_gone' }),
    ])

    expect(await rule()).toMatchObject({ has_runbook: true, seed: { watches: true } })
    expect((await operateFacts.alert_rules(ask())).find(({ id }) => id === 'rul_own')).toMatchObject({
      has_runbook: false,
      seed: undefined,
    })
  })
})

test('facts about incidents reach back further than a short window, for those that are not over', async () => {
  const incident = (days: number, over: Partial<Incident> = {}) => {
    const input = {
      title: 'x',
      severity: 'sev3' as const,
      personal_data_breach: true,
      alert_ids: [],
      detected_at: ago(days),
    }
    const made = newIncident(it.ctx, firstId('inc', NOW - days * DAY), input)
    return incidents.insert({ ...made, ...over })
  }
  await it.ctx.table.commit([incident(5, { root_cause: '  ' }), incident(100, { root_cause: 'a bug' }), incident(401)])

  expect(await operateFacts.incidents(ask(7))).toMatchObject([
    { detected_at: ago(100), breach: true, root_cause: true },
    { detected_at: ago(5), root_cause: false },
  ])
})

test('deliveries count to the whole tenant, also those to receivers that are gone', async () => {
  const day = `D#${ago(3).slice(0, 10)}`
  await it.ctx.table.update({ pk: 'T#ten_1#live#METRIC', sk: day }, { set: { dl_ok: 99, dl_bad: 1 } })
  await it.ctx.table.update({ pk: 'T#ten_1#live#METRIC', sk: `D#${ago(40).slice(0, 10)}` }, { set: { dl_bad: 50 } })

  expect(await operateFacts.deliveries(ask())).toEqual({ ended: 100, delivered: 99 })
})
