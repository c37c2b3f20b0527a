// Reads the files of a pack in pieces, so that memory does not limit its size.
import { createHash } from 'node:crypto'
import type { PackFile } from './pack.ts'
import { Unreadable } from './pack-shape.ts'

const LINE_END = 10

/** The files of a pack, by their paths within it. */
export type PackFiles = { paths: ReadonlySet<string>; open: (path: string) => AsyncIterable<Uint8Array> }

function open(files: PackFiles, path: string): AsyncIterable<Uint8Array> {
  if (!files.paths.has(path)) throw new Unreadable(`${path} is missing`)
  return files.open(path)
}

/** The text of a file. Throws `Unreadable` when the file is missing or not UTF-8, as the other functions here do. */
export async function readText(files: PackFiles, path: string): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of open(files, path)) pieces.push(piece)
  return textOf(path)(Buffer.concat(pieces), false)
}

/** The lines of a file without their line ends, in groups. Text after the last line end is a line, too. */
export async function* readLines(files: PackFiles, path: string): AsyncGenerator<string[]> {
  const decode = textOf(path)
  let rest = ''
  for await (const piece of open(files, path)) {
    const lines = (rest + decode(piece, true)).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
  rest += decode(new Uint8Array(), false)
  if (rest !== '') yield [rest]
}

function textOf(path: string) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })
  return (bytes: Uint8Array, stream: boolean): string => {
    try {
      return decoder.decode(bytes, { stream })
    } catch {
      throw new Unreadable(`${path} is not UTF-8`)
    }
  }
}

export async function measure(files: PackFiles, path: string): Promise<Omit<PackFile, 'path'>> {
  const digest = createHash('sha256')
  let [bytes, rows] = [0, 0]
  for await (const piece of open(files, path)) {
    digest.update(piece)
    bytes += piece.length
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) rows += 1
  }
  return { sha256: digest.digest('hex'), bytes, rows }
}
