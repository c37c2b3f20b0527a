import { beforeEach, expect, test } from 'vitest'
import type { Row } from '../../../shared/assure/populations/population.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { firstId } from '../../../shared/base/lib/ids.ts'
import { alerts } from '../../../shared/operate/alerts/alert.ts'
import { newIncident } from '../../../shared/operate/incidents/create-incident.ts'
import { incidents } from '../../../shared/operate/incidents/incident.ts'
import { operatePopulations } from '../../../shared/operate/populations.ts'
import { newAlert } from '../../support/alert.ts'
import { type Deployment, deploy } from '../edge/deployment.ts'

const START = Date.UTC(2026, 9, 1)
const DAY = 86_400_000
const WINDOW = { start_at: iso(START), end_at: iso(START + 30 * DAY) }

let it: Deployment
beforeEach(async () => {
  it = await deploy()
})

async function rowsOf(name: string) {
  const found = operatePopulations.find((one) => one.name === name)
  if (!found) throw new Error('no such population')
  const rows: Row[] = []
  for await (const page of found.rows(it.ctx, WINDOW)) rows.push(...page)
  expect(rows.filter((row) => Object.keys(row).some((column) => !found.columns.includes(column)))).toEqual([])
  return rows
}

test('incidents are those that were opened in the window, in their order and without a word that people wrote', async () => {
  const opened = (at: number, over: object = {}) => {
    const draft = { title: 'Ann’s mails', severity: 'sev3' as const, detected_at: iso(at), alert_ids: [] }
    const incident = { ...newIncident(it.ctx, firstId('inc', at), draft), created_at: iso(at), ...over }
    return incidents.insert(incident)
  }
  await it.ctx.table.commit([
    opened(START + 2 * DAY, { root_cause: 'Ann’s filter' }),
    opened(START + DAY),
    opened(START - 1),
    opened(START + 30 * DAY),
  ])

  const rows = await rowsOf('incidents')
  expect(rows).toMatchObject([
    { id: firstId('inc', START + DAY), root_cause: false, follow_ups: 0 },
    { id: firstId('inc', START + 2 * DAY), root_cause: true, personal_data_breach: false },
  ])
  expect(JSON.stringify(rows)).not.toContain('Ann')
})

test('an incident and its artifact meet by its id', () => {
  const { chain } = operatePopulations[0] ?? {}
  const subject = { type: 'incident', id: 'inc_1' }

  expect(chain?.ofRow({ id: 'inc_1', created_at: iso(START) })).toEqual({ id: 'inc_1', at: iso(START) })
  expect(chain?.ofArtifact({ type: 'incident.created', subject })).toBe('inc_1')
  expect(chain?.ofArtifact({ type: 'incident.updated', subject })).toBeUndefined()
})

test('alerts of every status are listed by when they fired last', async () => {
  const fired = (id: string, at: number, over: object = {}) =>
    alerts.insert(newAlert(it.ctx, { id, starts_at: iso(at), title: 'Ann’s limit', ...over }))
  await it.ctx.table.commit([
    fired('alr_2', START + 2 * DAY, { status: 'resolved', resolution: 'manual' }),
    fired('alr_1', START, { status: 'acked', acked_by: 'usr_1' }),
    fired('alr_0', START - 1),
    fired('alr_3', START + 30 * DAY),
  ])

  const rows = await rowsOf('alerts')
  expect(rows).toMatchObject([
    { id: 'alr_1', acked_by: 'usr_1' },
    { id: 'alr_2', resolution: 'manual' },
  ])
  expect(JSON.stringify(rows)).not.toContain('Ann')
})
