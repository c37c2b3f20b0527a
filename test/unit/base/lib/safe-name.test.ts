import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { safeName } from '../../../../shared/base/lib/safe-name.ts'

/** What the verifier takes as a path. */
const PATH = /^[\w-]+(?:[./][\w-]+)*$/

test.each([
  ['access-review-q3.pdf', 'access-review-q3.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['reports\\march.xlsx', 'march.xlsx'],
  ['line\nbreak\u0000.txt', 'line_break_.txt'],
  ['..hidden...tar..gz.', 'hidden.tar.gz'],
  ['отчёт.pdf', '_____.pdf'],
  ['NUL.txt', '_NUL.txt'],
  ['com1', '_com1'],
  ['console.log', 'console.log'],
  ['reports/', 'file'],
  ['...', 'file'],
  [`${'a'.repeat(99)}.pdf`, 'a'.repeat(99)],
])('a file %j is named %j in the archive', (given, safe) => {
  expect(safeName(given)).toBe(safe)
})

test('a name of any characters gives a path that the verifier takes', () => {
  const names = fc.string({ unit: fc.constantFrom('a', '.', '/', '\\', '_', '-', ' ', 'é', '\0'), maxLength: 300 })
  fc.assert(
    fc.property(fc.oneof(names, fc.string({ unit: 'binary', maxLength: 300 })), (name) => {
      const safe = safeName(name)
      expect(safe).toMatch(PATH)
      expect(safe.length).toBeLessThanOrEqual(101)
      expect(safe).not.toContain('/')
    }),
  )
})
