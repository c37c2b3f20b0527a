import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { globMatches, scopeMatches } from '../../../../shared/govern/governance/conditions/glob.ts'
import { runs } from '../../../support/runs.ts'

test.each([
  ['payments.*.*', 'payments.core.api', true],
  ['payments.*.*', 'payments.core', false],
  ['payments.*', 'payments.core.api', false],
  ['payments.**', 'payments.core.api', true],
  ['**', '', true],
  ['*', '', true],
  ['*', 'a.b', false],
  ['**.api', 'payments.core.api', true],
  ['pay*.c*e.*', 'payments.core.api', true],
  ['*_delete', 'user_delete', true],
  ['*_delete', 'user_delete_2', false],
  ['Payments.*', 'payments.core', false],
  ['a**c', 'a.b.c', true],
  ['a?c', 'abc', false],
  ['a.b', 'a-b', false],
  ['', '', true],
  ['', 'a', false],
])('the pattern %j matches %j: %s', (pattern, text, matches) => {
  expect(globMatches(pattern, text)).toBe(matches)
})

/** The same by definition: every way of giving the stars something to match. */
function byDefinition(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  const star = pattern.startsWith('**') ? '**' : pattern.startsWith('*') ? '*' : ''
  if (star === '') return text[0] === pattern[0] && byDefinition(pattern.slice(1), text.slice(1))
  const reach = star === '**' ? text.length : text.search(/\.|$/)
  return Array.from({ length: reach + 1 }, (_, i) => i).some((i) =>
    byDefinition(pattern.slice(star.length), text.slice(i)),
  )
}

test('agrees with the definition on every pattern', () => {
  const pattern = fc.array(fc.constantFrom('a', 'b', '.', '*', '**'), { maxLength: 7 }).map((parts) => parts.join(''))
  const text = fc.array(fc.constantFrom('a', 'b', '.'), { maxLength: 9 }).map((parts) => parts.join(''))

  fc.assert(
    fc.property(pattern, text, (glob, value) => {
      expect(globMatches(glob, value)).toBe(byDefinition(glob, value))
    }),
    runs(1_000),
  )
})

test('a pattern made to backtrack ends', () => {
  expect(globMatches('**a'.repeat(80), 'a'.repeat(20_000).concat('b'))).toBe(false)
  expect(globMatches('*a'.repeat(120), 'a'.repeat(20_000).concat('b'))).toBe(false)
})

test('an empty scope matches everything, others nothing that is absent', () => {
  expect(scopeMatches([], undefined)).toBe(true)
  expect(scopeMatches(['*'], undefined)).toBe(false)
  expect(scopeMatches(['x', 'y*'], 'yes')).toBe(true)
})
