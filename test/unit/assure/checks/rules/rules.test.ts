import { describe, expect, test } from 'vitest'
import { CHECKS } from '../../../../../shared/assure/catalogue/catalogue.ts'
import type { Facts } from '../../../../../shared/base/ports/check-facts.ts'
import { ACCESS } from './access-cases.ts'
import { endpoint, judge, NOTHING, settings } from './make.ts'
import { OPERATIONS } from './operations-cases.ts'
import { OTHERS } from './other-cases.ts'

/** `failing`: the ids that it names; with them the check fails, without it passes. */
export type Case = { check: string; when: string; facts: Partial<Facts>; failing?: readonly string[] }

const ALL: readonly Case[] = [...ACCESS, ...OPERATIONS, ...OTHERS]

/** Their cases are in `evidence.test.ts` and `kinds.test.ts`. */
const ELSEWHERE = /^(GOV-0[1258]|EVD-\d\d|IAM-(08|10)|PRV-02|OPS-0[67])$/

describe('the rule of a check', () => {
  test('has a case that passes and one that fails', () => {
    const here = CHECKS.map(({ id }) => id).filter((id) => !ELSEWHERE.test(id))
    const has = (id: string, fails: boolean) =>
      ALL.some((one) => one.check === id && (one.failing !== undefined) === fails)

    expect(here.filter((id) => !has(id, false) || !has(id, true))).toEqual([])
  })

  test.each(ALL.filter(({ failing }) => !failing))('$check passes: $when', ({ check, facts }) => {
    expect(judge(check, facts)).toMatchObject({ status: 'pass' })
  })

  test.each(ALL.filter(({ failing }) => failing))('$check fails: $when', ({ check, facts, failing }) => {
    const found = judge(check, facts)

    expect(found).toMatchObject({ status: 'fail', failing_ids: failing, failing_count: failing?.length })
  })

  test.each<[string, string, Partial<Facts>]>([
    [
      'IAM-09',
      'the plan has no single sign-on',
      { settings: settings({ sso: { ...NOTHING.settings.sso, offered: false } }) },
    ],
    [
      'SEC-03',
      'the plan has no allowlist',
      { settings: settings({ allowlist: { offered: false, rules: 3, open: false } }) },
    ],
    ['OPS-05', 'the platform keeps no backups', { backups: null }],
  ])('%s is not applicable where %s', (check, _, facts) => {
    expect(judge(check, facts).status).toBe('not_applicable')
  })

  test('OPS-01 has no data while too few requests were counted to judge any SLO on availability', () => {
    const slos = [{ id: 'a', indicator: 'api_availability', status: 'no_data' as const }]

    expect(judge('OPS-01', { slos }).status).toBe('no_data')
  })

  test('OPS-08 has no data before the first delivery has ended', () => {
    const found = judge('OPS-08', { endpoints: [endpoint('a')], deliveries: { ended: 0, delivered: 0 } })

    expect(found.status).toBe('no_data')
  })
})
