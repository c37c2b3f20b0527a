import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reconcile, Spill } from '../../../../shared/assure/audit-pack/comparison.ts'

const WINDOW = { start_at: '2026-05-01T00:00:00.000Z', end_at: '2026-06-01T00:00:00.000Z' }
const START = Date.parse(WINDOW.start_at)
const END = Date.parse(WINDOW.end_at)
const NOON = Date.parse('2026-05-10T12:00:00.000Z')

const dated = (id: string, at: number) => ({ id, at: new Date(at).toISOString() })

test('equal sets have no differences, in whatever order', () => {
  const some = [dated('a', NOON), dated('b', NOON + 1)]
  const later = some.toReversed().map(({ id, at }) => dated(id, Date.parse(at) + 3))

  expect(reconcile(some, later, WINDOW)).toEqual({ rows_without_artifact: [], artifacts_without_row: [] })
})

test('a row and an artifact without each other are named, even when the numbers agree', () => {
  expect(reconcile([dated('a', NOON), dated('b', NOON)], [dated('b', NOON), dated('c', NOON)], WINDOW)).toEqual({
    rows_without_artifact: ['a'],
    artifacts_without_row: ['c'],
  })
})

test.each([
  ['just after the start', START + 59_999, []],
  ['a minute after the start', START + 60_000, ['a']],
  ['just before the last minute', END - 60_001, ['a']],
  ['in the last minute', END - 60_000, []],
])('an artifact without a row %s: %j', (_, at, expected) => {
  expect(reconcile([], [dated('a', at)], WINDOW).artifacts_without_row).toEqual(expected)
})

test('a row inside meets its artifact at the border, so a pair across that line is no difference', () => {
  const inside = dated('a', START + 60_000)
  const border = dated('a', START + 59_990)

  for (const [rows, artifacts] of [
    [[inside], [border]],
    [[border], [inside]],
  ] as const) {
    expect(reconcile(rows, artifacts, WINDOW)).toEqual({ rows_without_artifact: [], artifacts_without_row: [] })
  }
})

test('ids that lie in files are compared like ids in memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spill-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const many = Array.from({ length: 3_000 }, (_, index) => dated(`art_${index}\u2028`, NOON + index))
  const spill = new Spill(folder)
  for (const one of many.slice(1)) await spill.add('rows', [one])
  await spill.add('artifacts', many.slice(0, -1))
  const found = { rows_without_artifact: [] as string[], artifacts_without_row: [] as string[] }
  for await (const part of spill.compare(WINDOW)) {
    found.rows_without_artifact.push(...part.rows_without_artifact)
    found.artifacts_without_row.push(...part.artifacts_without_row)
  }

  expect(found).toEqual({ rows_without_artifact: ['art_2999\u2028'], artifacts_without_row: ['art_0\u2028'] })
})
