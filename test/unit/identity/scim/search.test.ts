import { describe, expect, test } from 'vitest'
import { readSearch } from '../../../../shared/identity/scim/messages.ts'
import { refusalOf } from './refusals.ts'

describe('a page', () => {
  test.each([
    [{}, 1, 100],
    [{ startIndex: '0', count: '10' }, 1, 10],
    [{ startIndex: '-5' }, 1, 100],
    [{ startIndex: 'abc', count: 'abc' }, 1, 100],
    [{ startIndex: '', count: '' }, 1, 100],
    [{ startIndex: '7', count: '-1' }, 7, 0],
    [{ count: '0' }, 1, 0],
    [{ startIndex: '1e300' }, Number.MAX_SAFE_INTEGER, 100],
    [{ count: '200' }, 1, 200],
    [{ count: '1000' }, 1, 200],
    [{ STARTINDEX: 3, Count: 2 }, 3, 2],
  ])('%j begins at %d and holds %d', (sent, startIndex, count) => {
    expect(readSearch(sent)).toEqual({ startIndex, count })
  })
})

describe('a search', () => {
  test('takes names as a list or as a text, and ignores what it does not know', () => {
    const sent = {
      attributes: ['userName', 'id'],
      excludedAttributes: 'members, meta',
      sortBy: 'x',
      aadOptscim062020: '',
    }

    expect(readSearch(sent)).toMatchObject({ attributes: ['userName', 'id'], excludedAttributes: ['members', ' meta'] })
    expect(readSearch({ attributes: '', filter: ' ' })).toEqual({ startIndex: 1, count: 100 })
  })

  test('refuses to choose among more attributes than there are', () => {
    const names = Array.from({ length: 201 }, (_, n) => `a${n}`)

    expect(refusalOf(() => readSearch({ attributes: names.join(',') }))).toBe('400 invalidValue')
    expect(refusalOf(() => readSearch({ excludedAttributes: names }))).toBe('400 invalidValue')
  })

  test('refuses a filter that is no text', () => {
    expect(refusalOf(() => readSearch({ filter: 4 }))).toBe('400 invalidFilter')
  })
})
