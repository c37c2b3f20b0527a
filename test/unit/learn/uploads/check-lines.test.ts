import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { sha256Hex } from '../../../../shared/base/lib/json.ts'
import { checkLines } from '../../../../shared/learn/uploads/validate-upload.ts'
import { runs } from '../../../support/runs.ts'

const folder = mkdtempSync(join(tmpdir(), 'lines-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function* pieces(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const check = (text: string, size = 7) => checkLines(pieces(text, size), 'kto', join(folder, 'file'))
const ROW = JSON.stringify({ prompt: 'Größe?', completion: [{ role: 'assistant', content: '5' }], label: true })

test('valid rows pass, however the file is cut, and the local copy is the file', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 90 }), fc.boolean(), async (size, ended) => {
      const text = `${ROW}\n${ROW}${ended ? '\n' : ''}`
      const { rows, bad, sha256 } = await check(text, size)
      expect([rows, bad, sha256]).toEqual([2, [], sha256Hex(text)])
      expect(readFileSync(join(folder, 'file'), 'utf8')).toBe(text)
    }),
    runs(20, 50),
  )
})

test('bad lines are named with number and reason, the first twenty of them, and without their values', async () => {
  const { rows, bad } = await check(`${ROW}\n{\n{"prompt":"secret","completion":"x"}\n\n${'[]\n'.repeat(40)}`)

  expect(rows).toBe(44)
  expect(bad).toHaveLength(20)
  expect(bad.slice(0, 3)).toEqual([
    { line: 2, reason: 'is no JSON' },
    { line: 3, reason: expect.stringMatching(/^label: /) },
    { line: 4, reason: 'is no JSON' },
  ])
  expect(JSON.stringify(bad)).not.toContain('secret')
})

test('a line of more than a megabyte is refused without being kept', async () => {
  const { bad } = await check(`"${'x'.repeat(1_100_000)}"\n${ROW}\n`, 65_536)
  expect(bad).toEqual([{ line: 1, reason: 'is longer than 1048576 bytes' }])
})
