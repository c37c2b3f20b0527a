import { expect, test } from 'vitest'
import { csvRecord } from '../../../../shared/base/lib/export-text.ts'

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\n=1', '＝1', '＋1', '－1', '＠SUM(A1)'])(
  'a text that begins like %j is no formula any more',
  (text) => {
    const quoted = /[\r\n]/.test(text) ? `"'${text}"` : `'${text}`

    expect(csvRecord([text])).toBe(`${quoted}\r\n`)
  },
)

test('JSON of a formula is quoted, and stays text', () => {
  expect(csvRecord([['=1']])).toBe('"[""=1""]"\r\n')
})

test('numbers stay numbers, also negative ones', () => {
  expect(csvRecord([-1.5, 0, true])).toBe('-1.5,0,true\r\n')
})

test('quotes, commas and line ends are quoted as in RFC 4180', () => {
  expect(csvRecord(['a,b', 'say "x"', 'one\ntwo', 'plain'])).toBe('"a,b","say ""x""","one\ntwo",plain\r\n')
})

test('nothing is an empty cell', () => {
  expect(csvRecord([null, undefined, ''])).toBe(',,\r\n')
})
