import { describe, expect, test } from 'vitest'
import { PolicyBody } from '../../../../shared/govern/governance/policy.ts'
import { checkPolicy } from '../../../../shared/govern/governance/checks/policy-check.ts'
import { decided, policyOf, resultOf } from './make.ts'

const [FROM, UNTIL] = ['2026-11-24T10:00:00.000Z', '2026-11-24T12:00:00.000Z']
const stop = policyOf({ effect: 'forbid', valid_from: FROM, expires_at: UNTIL })
const outcomeAt = (at: number) => {
  const decision = decided({ policies: [stop], at })
  return { outcome: decision.outcome, result: resultOf(decision, stop.policy_id) }
}

describe('a policy with a time', () => {
  test('acts from the first millisecond on, and no longer at the last', () => {
    expect(outcomeAt(Date.parse(FROM)).outcome).toBe('reject')
    expect(outcomeAt(Date.parse(UNTIL) - 1).outcome).toBe('reject')
  })

  test('is neither evaluated nor listed outside its time', () => {
    for (const at of [Date.parse(FROM) - 1, Date.parse(UNTIL)])
      expect(outcomeAt(at)).toEqual({ outcome: 'run', result: undefined })
  })
})

describe('the times of a policy', () => {
  const messagesOf = (times: object, now?: string) =>
    checkPolicy(PolicyBody.parse({ name: 'Stop', effect: 'forbid', ...times }), {
      existing: [],
      now: now === undefined ? undefined : Date.parse(now),
    }).violations.map(({ loc, msg }) => `${loc.join('.')} ${msg}`)

  test('are stored in UTC', () => {
    const body = PolicyBody.parse({ name: 'Stop', effect: 'forbid', expires_at: '2026-11-24T13:00:00+01:00' })

    expect(body.expires_at).toBe(UNTIL)
  })

  test('must leave a time in which it acts', () => {
    expect(messagesOf({ valid_from: UNTIL, expires_at: FROM })).toEqual(['body.expires_at must be after valid_from'])
    expect(messagesOf({ expires_at: FROM }, FROM)).toEqual(['body.expires_at must be in the future'])
    expect(messagesOf({ expires_at: UNTIL }, FROM)).toEqual([])
  })
})

describe('the calendars of a policy', () => {
  const value = { zone: 'UTC', days: [1], from: '08:00', to: '18:00', except: ['de'] }
  const body = PolicyBody.parse({
    name: 'Office',
    effect: 'forbid',
    unless: { field: 'request.time', op: 'within', value },
  })
  const checked = (dates?: string[]) =>
    checkPolicy(body, {
      existing: [],
      calendars: new Map(dates && [['de', new Set(dates)]]),
      now: Date.parse(FROM),
    })

  test('must exist', () => {
    expect(checked().violations).toEqual([
      { loc: ['body', 'unless', 'value', 'except', 0], msg: 'is no calendar of this tenant', type: 'value_error' },
    ])
  })

  test('should have dates for the next 90 days', () => {
    expect(checked(['2027-02-22']).warnings).toEqual([])
    expect(checked(['2026-12-25', '2027-02-21']).warnings).toEqual([
      'The calendar de has no dates after 2027-02-21. Add the dates of the coming year.',
    ])
  })
})
