import { expect, test } from 'vitest'
import { conditionProblems } from '../../../../shared/govern/governance/conditions/problems.ts'
import { FACTS } from '../../../../shared/govern/governance/conditions/fact-list.ts'
import { unknownField } from '../../../../shared/govern/governance/conditions/hints.ts'

test.each([
  ['amount', 'signals.amount or payload./amount'],
  ['kind', 'action.kind or payload./kind'],
  ['id', 'action.id or node.id or payload./id'],
  ['curency', 'signals.currency or payload./curency'],
  ['hour', 'request.hour_utc or payload./hour'],
  ['role', 'principal.roles or payload./role'],
  ['payload.amount', 'payload./amount'],
  ['acton.kind', 'action.kind'],
  ['sku', 'payload./sku'],
])('%s: did you mean %s?', (field, expected) => {
  expect(unknownField(field)).toBe(`unknown field; did you mean ${expected}?`)
})

test.each([7, '', 'a b', 'nothing.like.it.at.all', 'x'.repeat(500)])('%j resembles no field', (field) => {
  expect(unknownField(field)).toBe('unknown field')
})

test('what a short name is taken for exists', () => {
  for (const field of ['user', 'role', 'hour', 'weekday', 'timezone', 'domain', 'email']) {
    const [, guess = ''] = /mean (\S+) or/.exec(unknownField(field)) ?? []
    expect(Object.keys(FACTS)).toContain(guess)
  }
})

const leaf = { field: 'action.kind', op: 'eq', value: 'read' }

test.each([
  [{ and: [leaf] }, 'is not part of a condition with field, op, value, ignore_case, currency; use "all"'],
  [{ or: [leaf] }, 'is not part of a condition with field, op, value, ignore_case, currency; use "any"'],
  [
    { ...leaf, op: '==' },
    'must be one of eq, ne, in, not_in, starts_with, ends_with, contains, glob for this field; use eq',
  ],
  [
    { ...leaf, op: 'regex' },
    'must be one of eq, ne, in, not_in, starts_with, ends_with, contains, glob for this field; use glob',
  ],
])('%j says what it is called here', (condition, message) => {
  expect([...conditionProblems(condition)].map((problem) => problem.message)).toEqual([message])
})
