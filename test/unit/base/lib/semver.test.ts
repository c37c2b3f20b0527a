import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { SEMVER, sortableVersion } from '../../../../shared/base/lib/names.ts'

const part = fc.integer({ min: 0, max: 99_999 })
const version = fc.tuple(part, part, part)

test.each(['0.0.0', '1.2.3', '10.20.30', '99999.99999.99999'])('%s is a version', (text) => {
  expect(text).toMatch(SEMVER)
})

test.each([
  '1',
  '1.2',
  '1.2.3.4',
  '01.2.3',
  '1.2.03',
  'v1.2.3',
  '1.2.3-rc.1',
  '1.2.3+build',
  '1.2.x',
  '100000.0.0',
  '1.2.3\n',
  ' 1.2.3',
  '-1.2.3',
  '١.٢.٣',
  '',
])('%j is none', (text) => {
  expect(text).not.toMatch(SEMVER)
})

test('1.9.9 comes before 1.10.0', () => {
  expect(sortableVersion('1.10.0')).toBe('00001.00010.00000')
  expect(sortableVersion('1.9.9') < sortableVersion('1.10.0')).toBe(true)
})

test('sortable versions order as numbers do, part by part', () => {
  const byNumbers = (a: number[], b: number[]) => a.reduce((order, n, i) => order || n - (b[i] ?? 0), 0)
  fc.assert(
    fc.property(version, version, (a, b) => {
      const [x, y] = [sortableVersion(a.join('.')), sortableVersion(b.join('.'))]
      expect(Math.sign(byNumbers(a, b))).toBe(x < y ? -1 : x > y ? 1 : 0)
    }),
  )
})
