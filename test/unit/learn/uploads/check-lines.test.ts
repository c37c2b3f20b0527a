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
const ROW = JSON.stringify({
  prompt: [{ role: 'user', content: 'Größe?' }],
  completion: [{ role: 'assistant', content: '5' }],
  label: true,
})

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

test('rows that the loaders cannot give one type are refused with the column that differs', async () => {
  const row = (prompt: unknown, completion: unknown) => JSON.stringify({ prompt, completion, label: true })
  const messages = (content: unknown) => [{ role: 'user', content }]
  const plain = row('a', 'b')

  expect((await check(`${plain}\n${plain}`)).bad).toEqual([])
  expect((await check(`${plain}\n${row(messages('a'), messages('b'))}\n${row('a', messages('b'))}`)).bad).toEqual([
    { line: 2, reason: 'prompt: is a list of messages, and the rows before have a text' },
    { line: 3, reason: 'completion: is a list of messages, and prompt is a text' },
  ])
})

test('a message that is not valid is refused with its member', async () => {
  const row = (message: object) => JSON.stringify({ prompt: [message], completion: [message], label: true })
  const reasonOf = async (message: object) => (await check(row(message))).bad[0]?.reason

  expect(await reasonOf({ role: 'user', content: [{ type: 'image' }] })).toMatch(/^prompt\.0\.content: /)
  expect(await reasonOf({ role: 'developer', content: 'x' })).toMatch(/^prompt\.0\.role: /)
  expect(await reasonOf({ role: 'assistant', content: '', tool_calls: [{ type: 'function' }] })).toMatch(
    /^prompt\.0\.tool_calls\.0\.function: /,
  )
  expect((await check('{"prompt":5,"completion":"x","label":true}')).bad[0]?.reason).toBe(
    'prompt: must be a text or a list of messages',
  )
})

test('a line of more than a megabyte is refused without being kept', async () => {
  const { bad } = await check(`"${'x'.repeat(1_100_000)}"\n${ROW}\n`, 65_536)
  expect(bad).toEqual([{ line: 1, reason: 'is longer than 1048576 bytes' }])
})
