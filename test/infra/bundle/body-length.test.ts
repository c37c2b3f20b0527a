import { createReadStream, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { calculateBodyLength } from '../../../infra/bundle/body-length.ts'

const FILE = import.meta.filename
const { size } = statSync(FILE)

/** A stream of this file, as the SDK would find it in a request. */
function fileStream(part?: { start: number; end?: number }) {
  const stream = createReadStream(FILE, part)
  stream.destroy()
  return stream as { path: string }
}

test.each([
  ['no body', undefined, 0],
  ['an empty text', '', 0],
  ['a text in bytes, not characters', 'é', 2],
  ['bytes', Buffer.from('abc'), 3],
  ['a view of bytes', new Uint8Array(4), 4],
  ['a blob', new Blob(['abcde']), 5],
  ['a file that is read as a stream', fileStream(), size],
  ['part of a file', fileStream({ start: 2, end: 4 }), 3],
])('measures %s', (_, body, length) => {
  expect(calculateBodyLength(body)).toBe(length)
})

test('refuses to measure a stream that does not tell its length', () => {
  expect(() => calculateBodyLength(fileStream({ start: 2 }))).toThrow('is unknown')
  expect(() => calculateBodyLength(Readable.from(['a']) as object)).toThrow('is unknown')
})
