import { describe, expect, test } from 'vitest'
import { mustMatch, namesVersion, weakTag } from '../../../../shared/identity/scim/resource-type.ts'
import { refusalOf } from './refusals.ts'

describe('a version', () => {
  test.each([
    ['W/"3"', true],
    ['"3"', true],
    ['*', true],
    ['W/"1", W/"3"', true],
    ['W/"2"', false],
    ['3', false],
    ['', false],
  ])('is named by %j: %s', (header, expected) => {
    expect(namesVersion(header, weakTag('3'))).toBe(expected)
  })

  test('412: a change is meant for another one', () => {
    expect(refusalOf(() => mustMatch('W/"2"', weakTag('3')))).toBe('412')
    expect(mustMatch('W/"3"', weakTag('3'))).toBeUndefined()
    expect(mustMatch(undefined, weakTag('3'))).toBeUndefined()
  })
})
