// Reads the files of a pack in pieces, so that memory does not limit its size, and checks the shape of its JSON before the
// verifier uses it. It uses no library, so that people can read and trust the whole verifier.
import { createHash } from 'node:crypto'
import { PACK_FORMAT, type PackFile, type PackKey, type PackManifest, type PackPayload } from './pack.ts'
import type { Proven } from '../../../ledger/evidence/checkpoint/proven.ts'
import { namesTwice } from '../../../base/lib/duplicate-members.ts'

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

/** Thrown when the pack cannot be read or lacks a part, so that no verdict is possible. */
export class Unreadable extends Error {}

export type Check<T> = (value: unknown) => value is T

export const text: Check<string> = (value) => typeof value === 'string'
export const count: Check<number> = (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0
export const hash: Check<string> = (value): value is string => text(value) && /^[0-9a-f]{64}$/.test(value)
/** A path that stays inside the folder of the pack. */
export const path: Check<string> = (value): value is string => text(value) && /^[\w-]+(?:[./][\w-]+)*$/.test(value)
/** The same with letters and digits of any script, for the files that people submitted. */
export const namedPath: Check<string> = (value): value is string =>
  text(value) && /^[\p{L}\p{M}\p{N}_-]+(?:[./][\p{L}\p{M}\p{N}_-]+)*$/u.test(value)
export const list =
  <T>(of: Check<T>): Check<T[]> =>
  (value): value is T[] =>
    Array.isArray(value) && value.every(of)

export function shape<T extends object>(members: { [K in keyof T]-?: Check<T[K]> }): Check<T> {
  const checks = Object.entries<Check<unknown>>(members)
  return (value): value is T => {
    if (typeof value !== 'object' || value === null) return false
    const found = new Map(Object.entries(value))
    return checks.every(([name, check]) => check(found.get(name)))
  }
}

/** The members that name a log and its keys, and the files of an archive. */
export const LOG_MEMBERS = {
  chain: text,
  genesis: shape({ chain: text, created_at: text, key_spki_sha256: text, origin: text }),
  verifier_keys: list(
    shape<PackKey>({
      verifier_key: text,
      spki: text,
      from_size: count,
      succession: (one) => one === undefined || text(one),
    }),
  ),
}
const filesAt = (at: Check<string>) => list(shape({ path: at, sha256: hash, bytes: count, rows: count }))
export const files = filesAt(path)
export const namedFiles = filesAt(namedPath)

const isManifest: Check<PackManifest> = shape<PackManifest>({
  ...LOG_MEMBERS,
  format: (value): value is typeof PACK_FORMAT => value === PACK_FORMAT,
  range: shape({ from: count, to: count }),
  start: shape({ size: count, link: hash, frontier: list(hash) }),
  checkpoints: list(shape({ path, size: count })),
  files,
  generated_at: text,
})

/** Throws `Unreadable`. */
export function readManifest(content: string): PackManifest {
  const manifest = parsed(content)
  if (!isManifest(manifest)) throw new Unreadable(`manifest.json is not of format ${PACK_FORMAT}`)
  return manifest
}

/** Accepts these members and no others, because other members would not be signed. */
const only =
  <T extends object>(members: { [K in keyof T]-?: Check<T[K]> }): Check<T> =>
  (value): value is T =>
    shape(members)(value) && Object.keys(value).length === Object.keys(members).length

const isErased = only<{ artifact_id: string; erased_by: string }>({ artifact_id: text, erased_by: text })
const isOpened = only<{ artifact_id: string; salt: string; payload: unknown }>({
  artifact_id: text,
  salt: hash, // 32 bytes, too
  payload: (value): value is unknown => value !== undefined,
})

/** Undefined when the text is not a line of payloads.ndjson. */
export function readPayloadLine(line: string): PackPayload | undefined {
  const value = parsed(line)
  return isErased(value) || isOpened(value) ? value : undefined
}

const isProven = only<Proven>({ header: text, previous: hash, proof: text })

/** Undefined when the text is not an artifact with its proof. */
export function readProven(content: string): Proven | undefined {
  const value = parsed(content)
  return isProven(value) ? value : undefined
}

/** Undefined when the text is not JSON, or names a member twice. */
export function parsed(content: string): unknown {
  try {
    const value: unknown = JSON.parse(content)
    return namesTwice(content, value) ? undefined : value
  } catch {
    return undefined
  }
}
