// Reads the files of a pack piece by piece, so that its size does not matter.
import { createHash } from 'node:crypto'
import type { PackFile } from './pack.ts'
import { Unreadable } from './pack-shape.ts'

const LINE_END = 10

/** The content of a file of the pack, or undefined when there is no such file. */
export type OpenFile = (path: string) => AsyncIterable<Uint8Array> | undefined

function open(files: OpenFile, path: string): AsyncIterable<Uint8Array> {
  const content = files(path)
  if (!content) throw new Unreadable(`${path} is missing`)
  return content
}

/** Throws `Unreadable` when there is no such file, as all of these do. */
export async function readText(files: OpenFile, path: string): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of open(files, path)) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

/** The lines without their ends, piece by piece. What stands behind the last end of line counts as a line too, unless it is empty. */
export async function* readLines(files: OpenFile, path: string): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  for await (const piece of open(files, path)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  rest += decoder.decode()
  if (rest !== '') yield [rest]
}

export async function measure(files: OpenFile, path: string): Promise<Omit<PackFile, 'path'>> {
  const digest = createHash('sha256')
  let [bytes, rows] = [0, 0]
  for await (const piece of open(files, path)) {
    digest.update(piece)
    bytes += piece.length
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) rows += 1
  }
  return { sha256: digest.digest('hex'), bytes, rows }
}
