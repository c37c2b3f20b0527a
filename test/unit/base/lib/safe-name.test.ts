import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { namedPath as isPath } from '../../../../shared/assure/exports/pack/reader.ts'
import { attachment, safeName } from '../../../../shared/base/lib/export-text.ts'

/** The bytes of a file name on common file systems. */
const BYTES_MAX = 255

test.each([
  ['access-review-q3.pdf', 'access-review-q3.pdf'],
  ['../../etc/passwd', 'passwd'],
  ['reports\\march.xlsx', 'march.xlsx'],
  ['line\nbreak\u0000.txt', 'line_break_.txt'],
  ['..hidden...tar..gz.', 'hidden.tar.gz'],
  ['отчёт.pdf', 'отчёт.pdf'],
  ['監査 2026.pdf', '監査_2026.pdf'],
  ['รายงาน.pdf', 'รายงาน.pdf'],
  ['Pru\u0308fung.pdf', 'Pr\u00fcfung.pdf'],
  ['\u202Efdp.exe', '_fdp.exe'],
  ['NUL.txt', '_NUL.txt'],
  ['com1', '_com1'],
  ['console.log', 'console.log'],
  ['reports/', 'file'],
  ['...', 'file'],
  [`${'a'.repeat(99)}.pdf`, `${'a'.repeat(96)}.pdf`],
  [`${'監'.repeat(99)}.pdf`, `${'監'.repeat(65)}.pdf`],
])('a file %j is named %j in the archive', (given, safe) => {
  expect(safeName(given)).toBe(safe)
})

const names = fc.oneof(
  fc.string({
    unit: fc.constantFrom('a', '.', '/', '\\', '_', '-', ' ', 'é', '監', '😀', '\0', '\uD800'),
    maxLength: 300,
  }),
  fc.string({ unit: 'binary', maxLength: 300 }),
)

test('a name of any characters gives a path that the verifier takes', () => {
  fc.assert(
    fc.property(names, (name) => {
      const safe = safeName(name)
      expect(isPath(safe), safe).toBe(true)
      expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(BYTES_MAX)
      expect(safe).not.toContain('/')
    }),
  )
})

describe('the name of a download', () => {
  test.each([
    ['report.pdf', `attachment; filename="report.pdf"; filename*=UTF-8''report.pdf`],
    [
      'Отчёт (Q3).pdf',
      `attachment; filename="_______Q3_.pdf"; filename*=UTF-8''%D0%9E%D1%82%D1%87%D1%91%D1%82%20%28Q3%29.pdf`,
    ],
    ['a"b*c.pdf', `attachment; filename="a_b_c.pdf"; filename*=UTF-8''a_b_c.pdf`],
    ['\u202Efdp.exe\r\nX: y', `attachment; filename="_fdp.exe__X__y"; filename*=UTF-8''fdp.exeX_%20y`],
    ['../.. ', `attachment; filename="_"; filename*=UTF-8''file`],
  ])('%j is sent as %s', (name, header) => {
    expect(attachment(name)).toBe(header)
  })

  test('is a header by its grammar, and no folder, whatever characters it has', () => {
    fc.assert(
      fc.property(names, (name) => {
        const found = /^attachment; filename="([\w.-]+)"; filename\*=UTF-8''([\w!#$&+.^`|~%-]+)$/.exec(attachment(name))
        expect(found).not.toBeNull()
        const shown = decodeURIComponent(found?.[2] ?? '')
        expect(shown).not.toMatch(/[/\\\p{Cc}]|^\.|\.$/u)
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(BYTES_MAX)
      }),
    )
  })
})
