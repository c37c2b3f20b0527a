import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Content, ZipWriter } from '../../../../shared/assure/exports/pack/zip.ts'
import { sha256Hex } from '../../../../shared/base/lib/json.ts'
import { unzip } from '../../../support/unzip.ts'

const AT = Date.UTC(2026, 10, 20, 22, 37, 58)
const folder = mkdtempSync(join(tmpdir(), 'zip-'))
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0
async function zipped(members: Record<string, Content>, at = AT) {
  count += 1
  const path = join(folder, String(count))
  const zip = await ZipWriter.create(path, at)
  const measured = []
  for (const [name, content] of Object.entries(members)) measured.push(await zip.add(name, content))
  const finished = await zip.finish()
  return { measured, finished, bytes: readFileSync(path) }
}

test('members come back by an independent reader, in order', async () => {
  const members = {
    'a/é.txt': ['one\n', 'two\n'],
    empty: [],
    'long.ndjson': Array.from({ length: 5_000 }, (_, n) => `line ${n}\n`),
  }
  const { bytes } = await zipped(members)

  expect([...unzip(bytes)]).toEqual(Object.entries(members).map(([name, pieces]) => [name, pieces.join('')]))
})

test('each member is measured before compression, the archive as it is', async () => {
  const { measured, finished, bytes } = await zipped({ a: ['one\n', 'é'] })

  expect(measured).toEqual([{ sha256: sha256Hex('one\né'), bytes: 6, rows: 1 }])
  expect(finished).toEqual({ sha256: sha256Hex(bytes), size_bytes: bytes.length })
})

test('equal content and time give equal bytes', async () => {
  const [first, second, later] = [
    await zipped({ a: ['x'] }),
    await zipped({ a: ['x'] }),
    await zipped({ a: ['x'] }, AT + 2_000),
  ]

  expect(first.bytes).toEqual(second.bytes)
  expect(later.bytes).not.toEqual(first.bytes)
})

test('members carry the given time, in UTC', async () => {
  const { bytes } = await zipped({ a: ['x'] })

  expect(bytes.readUInt16LE(10)).toBe((22 << 11) | (37 << 5) | (58 / 2))
  expect(bytes.readUInt16LE(12)).toBe(((2026 - 1980) << 9) | (11 << 5) | 20)
})

test('content that fails ends the archive', async () => {
  async function* failing() {
    yield 'one'
    throw new Error('read failed')
  }

  await expect(zipped({ a: failing() })).rejects.toThrow('read failed')
})

test('bytes are packed as they are', async () => {
  const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256))
  const { measured } = await zipped({ a: [bytes] })

  expect(measured).toEqual([{ sha256: sha256Hex(bytes), bytes: 512, rows: 2 }])
})

test('an archive that was finished and continued is the one that was written at once', async () => {
  const path = join(folder, 'continued')
  const first = await ZipWriter.create(path, AT)
  await first.add('a/é.txt', ['one\n'])
  await first.add('b', ['two\n'])
  await first.finish()
  const second = await ZipWriter.reopen(path)
  await second.add('c', ['three\n'])
  const finished = await second.finish()
  const whole = await zipped({ 'a/é.txt': ['one\n'], b: ['two\n'], c: ['three\n'] })

  expect(readFileSync(path)).toEqual(whole.bytes)
  expect(finished).toEqual(whole.finished)
})
