import { describe, expect, test } from 'vitest'
import {
  deltaOf,
  isOfMembers,
  type Member,
  type MemberEdit,
  memberEdits,
  needAllMembers,
  namedIds,
} from '../../../../shared/identity/scim/groups/member-edits.ts'
import { readOperations } from '../../../../shared/identity/scim/patch/operations.ts'
import { GROUP } from '../../../../shared/identity/scim/resource-type.ts'
import { patchBody } from './clients.ts'
import { refusalOf } from './refusals.ts'

const edits = (...operations: object[]): MemberEdit[] =>
  readOperations(GROUP, patchBody(...operations))
    .filter(isOfMembers)
    .flatMap(memberEdits)
const user = (value: string): Member => ({ value, type: 'User' })

describe('edits of members', () => {
  test.each<[string, object, string[]]>([
    ['adding', { op: 'add', path: 'members', value: [{ value: 'a' }, { value: 'b' }] }, ['a', 'b']],
    ['removing by a list', { op: 'remove', path: 'members', value: [{ value: 'a' }] }, ['a']],
    ['removing by an empty list', { op: 'remove', path: 'members', value: [] }, []],
    ['removing by id', { op: 'remove', path: 'members[value eq "a"]' }, ['a']],
    ['removing by ids', { op: 'remove', path: 'members[value eq "a" or value eq "b"]' }, ['a', 'b']],
    ['removing what cannot be an id', { op: 'remove', path: 'members[value eq "a b"]' }, []],
  ])('%s reads only the rows it names', (_, operation, ids) => {
    expect(needAllMembers(edits(operation))).toBe(false)
    expect(namedIds(edits(operation))).toEqual(ids)
  })

  test.each([
    ['replacing', { op: 'replace', path: 'members', value: [{ value: 'a' }] }],
    ['removing all', { op: 'remove', path: 'members' }],
    ['removing by what they are', { op: 'remove', path: 'members[type eq "Group"]' }],
    ['removing by more than the id', { op: 'remove', path: 'members[value eq "a" and type eq "User"]' }],
  ])('%s needs all rows', (_, operation) => {
    expect(needAllMembers(edits(operation))).toBe(true)
  })

  test('other operations are not among them', () => {
    expect(edits({ op: 'replace', path: 'displayName', value: 'X' })).toEqual([])
  })

  test('are refused where they would change a member', () => {
    const badRequest = (operation: object) => refusalOf(() => edits(operation))

    expect(badRequest({ op: 'replace', path: 'members[value eq "a"].display', value: 'x' })).toBe('400 mutability')
    expect(badRequest({ op: 'add', path: 'members[value eq "a"]', value: { display: 'x' } })).toBe('400 mutability')
    expect(badRequest({ op: 'add', path: 'members', value: [{ value: 'a b' }] })).toBe('400 invalidValue')
    expect(badRequest({ op: 'add', path: 'members', value: [{ display: 'x' }] })).toBe('400 invalidValue')
  })
})

describe('their outcome', () => {
  test('is what differs in the end', () => {
    const all = edits(
      { op: 'add', path: 'members', value: [{ value: 'b' }, { value: 'c' }] },
      { op: 'remove', path: 'members[value eq "c"]' },
      { op: 'remove', path: 'members[value eq "a"]' },
      { op: 'add', path: 'members', value: [{ value: 'd', display: 'D' }] },
    )

    expect(deltaOf([user('a'), user('b')], all)).toEqual({ added: [{ ...user('d'), display: 'D' }], removed: ['a'] })
  })

  test('is nothing for who leaves and comes back', () => {
    const all = edits(
      { op: 'remove', path: 'members' },
      { op: 'add', path: 'members', value: [{ value: 'a', display: 'another' }] },
    )

    expect(deltaOf([user('a')], all)).toEqual({ added: [], removed: [] })
  })

  test('follows a filter among those that are there by then', () => {
    const all = edits(
      { op: 'add', path: 'members', value: [{ value: 'grp_1' }, { value: 'x', type: 'group' }] },
      { op: 'remove', path: 'members[type eq "Group"]' },
    )

    expect(deltaOf([user('a'), { value: 'grp_2', type: 'Group' }], all)).toEqual({ added: [], removed: ['grp_2'] })
  })

  test('is refused above 10,000 changes', () => {
    const many = (count: number) =>
      deltaOf([], [{ kind: 'add', members: Array.from({ length: count }, (_, n) => user(`u${n}`)) }])

    expect(many(10_000).added).toHaveLength(10_000)
    expect(refusalOf(() => many(10_001))).toBe('400 tooMany')
  })

  test('is refused where its filters compare more than a function has time for', () => {
    const present = Array.from({ length: 5_000 }, (_, n) => user(`u${n}`))
    const remove = { op: 'remove', path: 'members[display eq "x" or display eq "y"]' }
    const times = (count: number) => deltaOf(present, edits(...Array.from({ length: count }, () => remove)))

    expect(times(100)).toEqual({ added: [], removed: [] })
    expect(refusalOf(() => times(101))).toBe('400 tooMany')
  })
})
