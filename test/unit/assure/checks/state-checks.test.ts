import { describe, expect, test } from 'vitest'
import type { FactName, Facts, OptionalFacts } from '../../../../shared/base/ports/check-facts.ts'
import { CHECKS } from '../../../../shared/assure/catalogue/catalogue.ts'
import { STATE_CHECKS } from '../../../../shared/assure/checks/state-checks.ts'
import { judge, NOTHING } from './rules/make.ts'

/** What a deployment may lack. */
const OPTIONAL: Record<keyof OptionalFacts, true> = {
  tasks: true,
  alerts: true,
  alert_rules: true,
  incidents: true,
  slos: true,
  security_events: true,
  sla_approvals: true,
  models: true,
  datasets: true,
  routing: true,
  connections: true,
}

/** Those that walk over executions, the audit log or the chain. */
const ELSEWHERE = /^(GOV-0[1258]|EVD-\d\d|IAM-10|PRV-02)$/

const HERE = CHECKS.filter(({ id }) => !ELSEWHERE.test(id))
const ofKind = (wanted: string) => HERE.flatMap(({ id, kind }) => (kind === wanted ? [id] : []))

describe('the checks over what is there now', () => {
  test('are all of the catalogue that walk over nothing', () => {
    expect(HERE.filter(({ id }) => !STATE_CHECKS[id])).toEqual([])
  })

  test.each(ofKind('population'))('%s has no data where there is nobody and nothing', (id) => {
    expect(judge(id, NOTHING)).toMatchObject({ status: 'no_data', denominator: 0, failing_ids: [] })
  })

  test.each([...ofKind('setting').filter((id) => id !== 'IAM-05'), ...ofKind('evidence')])(
    '%s fails where nothing was set or submitted',
    (id) => {
      expect(judge(id, NOTHING).status).toBe('fail')
    },
  )

  const needing = HERE.flatMap(({ id }) =>
    (STATE_CHECKS[id]?.facts ?? [])
      .filter((name) => name in OPTIONAL && name !== 'datasets')
      .map((name): [string, FactName] => [id, name]),
  )

  test.each(needing)('%s has no data in a deployment that does not record %s', (id, name) => {
    const { [name]: _, ...facts }: Partial<Facts> = NOTHING

    expect(judge(id, facts)).toMatchObject({ status: 'no_data', detail: 'not recorded by this deployment' })
  })

  test.each(HERE.map(({ id }) => id))('%s says what it found in one sentence or two', (id) => {
    expect(judge(id, NOTHING).detail).toMatch(/^[A-Z0-9p].*\.$/)
  })
})
