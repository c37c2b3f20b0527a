import { describe, expect, test } from 'vitest'
import { select, type Selection } from '../../../../../shared/deliver/integrations/openapi/select.ts'
import { converted } from './document.ts'

const many = (count: number, tag: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`/${tag}/${i}`, { get: { tags: [tag] } }]))
const chosen = async (paths: object, selection: Selection) => {
  const groups = select(await converted(paths), selection)
  return Object.fromEntries([...groups].map(([group, all]) => [group, all.length]))
}

describe('the selection of a publication', () => {
  const paths = { ...many(2, 'a'), ...many(3, 'b'), '/old': { get: { tags: ['a'], deprecated: true } } }

  test.for([
    [{}, { a: 2, b: 3 }],
    [{ groups: ['b'] }, { b: 3 }],
    [{ operations: ['GET /b/1'] }, { b: 1 }],
    [
      { groups: ['b'], operations: ['GET /old', 'GET /b/1'] },
      { a: 1, b: 3 },
    ],
  ] as const)('%j', async ([selection, groups]) => {
    expect(await chosen(paths, selection)).toEqual(groups)
  })

  test.for([
    [paths, { groups: ['c'] }, 'is no group of the document'],
    [paths, { operations: ['GET /c'] }, 'is no operation of the document'],
    [{ '/a': { options: {} } }, { operations: ['OPTIONS /a'] }, 'cannot be published: unsupported_method'],
    [paths, { operations: [] }, 'no operation of the document can be published'],
    [{}, {}, 'no operation of the document can be published'],
    [many(201, 'a'), {}, 'the document has 201 operations; choose groups or operations'],
    [many(201, 'a'), { groups: ['a'] }, 'group a has 201 operations; choose groups or operations'],
    [{ ...many(150, 'a'), ...many(150, 'b'), ...many(101, 'c') }, { groups: ['a', 'b', 'c'] }, 'the document has 401'],
  ] as const)('%# is refused', async ([of, selection, message]) => {
    await expect(chosen(of, selection)).rejects.toThrow(message)
  })

  test('holds at the borders', async () => {
    expect(await chosen(many(200, 'a'), {})).toEqual({ a: 200 })
    expect(await chosen({ ...many(200, 'a'), ...many(200, 'b') }, { groups: ['a', 'b'] })).toEqual({ a: 200, b: 200 })
  })
})
