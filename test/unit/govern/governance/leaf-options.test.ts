import { describe, expect, test } from 'vitest'
import { compileCondition } from '../../../../shared/govern/governance/conditions/compile.ts'
import { conditionProblems } from '../../../../shared/govern/governance/conditions/problems.ts'
import type { Cond } from '../../../../shared/govern/governance/conditions/condition.ts'
import type { NamedFacts } from '../../../../shared/govern/governance/conditions/fact-list.ts'
import type { Json } from '../../../../shared/base/lib/json.ts'

const truthOf = (cond: Cond, named: NamedFacts, payload: Json = {}) => compileCondition(cond).test({ named, payload })
const problemsOf = (cond: unknown) => [...conditionProblems(cond)].map(({ path }) => path.join('.'))

describe('a comparison that ignores case', () => {
  test.each<[Cond, NamedFacts, boolean]>([
    [{ field: 'node.owner', op: 'eq', value: 'OPS' }, { 'node.owner': 'ops' }, true],
    [{ field: 'node.owner', op: 'not_in', value: ['OPS', 'Sales'] }, { 'node.owner': 'sales' }, false],
    [{ field: 'node.owner', op: 'glob', value: 'Team.*' }, { 'node.owner': 'TEAM.a' }, true],
    [{ field: 'node.owner', op: 'contains', value: 'Ｏｐｓ' }, { 'node.owner': 'my-ops' }, true],
    [{ field: 'principal.roles', op: 'any_in', value: ['Admin'] }, { 'principal.roles': ['ADMIN'] }, true],
  ])('%j finds %j: %s', (leaf, facts, found) => {
    expect(truthOf({ ...leaf, ignore_case: true }, facts)).toBe(found)
    expect(truthOf(leaf, facts)).toBe(!found)
  })

  test('reads payloads, and is unknown where there is no text', () => {
    const leaf: Cond = { field: 'payload./country', op: 'in', value: ['de'], ignore_case: true }

    expect(truthOf(leaf, {}, { country: 'DE' })).toBe(true)
    expect(truthOf(leaf, {}, { country: 49 })).toBeUndefined()
  })

  test('is of texts only', () => {
    expect(problemsOf({ field: 'node.owner', op: 'eq', value: 'a', ignore_case: true })).toEqual([])
    expect(problemsOf({ field: 'action.risk', op: 'eq', value: 1, ignore_case: true })).toEqual(['ignore_case'])
    expect(problemsOf({ field: 'payload./a', op: 'gt', value: 1, ignore_case: true })).toEqual(['ignore_case'])
    expect(problemsOf({ field: 'node.owner', op: 'eq', value: 'a', ignore_case: 'yes' })).toEqual(['ignore_case'])
  })
})

describe('an amount with its currency', () => {
  const over: Cond = { field: 'signals.amount', op: 'gt', value: 100, currency: 'EUR' }

  test('is compared in that currency, and unknown in another or in none', () => {
    expect(truthOf(over, { 'signals.amount': 101, 'signals.currency': 'EUR' })).toBe(true)
    expect(truthOf(over, { 'signals.amount': 99, 'signals.currency': 'EUR' })).toBe(false)
    expect(truthOf(over, { 'signals.amount': 99, 'signals.currency': 'USD' })).toBeUndefined()
    expect(truthOf(over, { 'signals.amount': 99 })).toBeUndefined()
  })

  test('names a currency that exists, of signals.amount alone', () => {
    expect(problemsOf(over)).toEqual([])
    expect(problemsOf({ ...over, currency: 'eur' })).toEqual(['currency'])
    expect(problemsOf({ ...over, currency: 'XXY' })).toEqual(['currency'])
    expect(problemsOf({ field: 'action.risk', op: 'gt', value: 1, currency: 'EUR' })).toEqual(['currency'])
  })
})
