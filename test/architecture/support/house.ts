// The measures of the house: how coarse its files are, how far its hot paths reach, how often each mechanism is written anew.
// A report with goals (`npm run check -- --house`), not a rule.
import { dirname } from 'node:path/posix'
import { BANNED_FILES, BANNED_NAMES, bannedWords } from './banned-words.ts'
import { commentsOf, type Passage } from './documents.ts'
import { closureOf, type Graph, graphOf, importLines, type Texts } from './graph.ts'
import type { Source } from './source.ts'

/** `ok`: whether the goal is met. */
export type Measure = { name: string; value: string; goal: string; ok: boolean }

const ROOM_FILES_MAX = 24

const linesOf = (text: string) => text.split('\n').length - 1
const isShared = (path: string) => path.startsWith('shared/')
/** Where each mechanism stands once. */
const isKernel = (path: string) => /^shared\/base\/(?:kernel|table)\//.test(path)

const atMost = (name: string, value: number, max: number, unit = ''): Measure => ({
  name,
  value: `${value}${unit}`,
  goal: `≤ ${max}${unit}`,
  ok: value <= max,
})
const atLeast = (name: string, value: number, min: number): Measure => ({
  name,
  value: String(value),
  goal: `≥ ${min}`,
  ok: value >= min,
})

/** Of a sorted list; the middle of an even one lies between two. */
export function median(sorted: readonly number[]): number {
  const half = sorted.length / 2
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2
}

/** Files by folder, the fullest first. */
export function roomsOf(paths: readonly string[]): [room: string, files: number][] {
  const counts = new Map<string, number>()
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

function grain(texts: Texts, { importers, values }: Graph): Measure[] {
  const shared = [...texts].filter(([path]) => isShared(path))
  const lines = shared.map(([, text]) => linesOf(text)).toSorted((a, b) => a - b)
  const all = [...texts.values()]
  const sum = (of: (text: string) => number) => all.reduce((total, text) => total + of(text), 0)
  const single = shared.filter(([path]) => importers.get(path)?.size === 1)
  const rooms = roomsOf(shared.map(([path]) => path))
  const over = rooms.filter(([, files]) => files > ROOM_FILES_MAX)
  return [
    atLeast('lines of a file in shared/, median', median(lines), 80),
    atLeast('lines of a file in shared/, first quarter', lines[Math.floor(lines.length / 4)] ?? 0, 50),
    atMost('files of shared/ with exactly one importer', single.length, 300),
    atMost('lines that import', Number(((100 * sum(importLines)) / sum(linesOf)).toFixed(1)), 9.5, ' %'),
    atMost('files that approve loads', closureOf('functions/approvals/approve.ts', values).size, 160),
    atMost('files that execute loads', closureOf('functions/protocol/execute.ts', values).size, 145),
    atMost(`files in the largest room (${rooms[0]?.[0]})`, rooms[0]?.[1] ?? 0, ROOM_FILES_MAX),
    atMost(`rooms with more than ${ROOM_FILES_MAX} files`, over.length, 0),
  ]
}

/** Each mechanism has a kernel; here is how often it is written by hand beside it. */
const BY_HAND: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['senders to queues beside the kernel', /\bnew SendMessage(?:Batch)?Command\(/],
  ['leases beside the kernel', /^(?:export )?const \w*LEASE\w*_MS = /m],
  ['moves of a state beside the kernel', /^export (?:async )?(?:const|function) move[A-Z]\w*/m],
  ['loops that try again beside the kernel', /\bfor \(let (?:attempt|tries|tried|round) = /],
]

/** Files of the reference that describe members by their name, far from the shape. */
const WORDS = ['property-words', 'parameters', 'parameter-examples'].map((name) => `infra/openapi/${name}.ts`)
const ENTRY = /^ {2}(?:'[\w.]+'|\w+):/gm

const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length

function wording(texts: Texts, passages: readonly Passage[]): Measure[] {
  const shared = [...texts].filter(([path]) => isShared(path))
  const names = shared.reduce((count, [, text]) => count + matches(text, BANNED_NAMES), 0)
  const described = WORDS.reduce((count, path) => count + matches(texts.get(path) ?? '', ENTRY), 0)
  return [
    atMost('descriptions outside shapes', described, 0),
    atMost('banned words in comments and pages', passages.flatMap(bannedWords).length, 0),
    atMost('banned names of code', names, 0),
    atMost('banned names of files', shared.filter(([path]) => BANNED_FILES.test(path)).length, 0),
  ]
}

/** All measures of sources without tests, and of the comments and pages beside them. */
export function houseOf(texts: Texts, passages: readonly Passage[]): Measure[] {
  const outside = [...texts].filter(([path]) => isShared(path) && !isKernel(path))
  const mechanisms = BY_HAND.map(([name, pattern]) =>
    atMost(name, outside.filter(([, text]) => pattern.test(text)).length, 0),
  )
  return [...grain(texts, graphOf(texts)), ...mechanisms, ...wording(texts, passages)]
}

/** The same of the project's sources and pages. */
export function houseOfSources(sources: readonly Source[], pages: readonly Omit<Passage, 'line'>[]): Measure[] {
  const measured = sources.filter(({ path }) => !path.startsWith('test/'))
  const passages = [...measured.flatMap(commentsOf), ...pages.map((page) => ({ ...page, line: 1 }))]
  return houseOf(new Map(measured.map(({ path, text }) => [path, text])), passages)
}

/** A line for each measure. */
export function tableOf(measures: readonly Measure[]): string[] {
  const width = Math.max(...measures.map(({ name }) => name.length))
  return measures.map(
    ({ name, value, goal, ok }) => `${ok ? 'ok  ' : '    '} ${name.padEnd(width)}  ${value.padStart(7)}  (${goal})`,
  )
}
