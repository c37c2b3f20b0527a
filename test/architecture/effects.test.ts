import { dirname, join } from 'node:path/posix'
import { expect, test } from 'vitest'
import { importsOf } from './support/imports.ts'
import { readSources } from './support/source.ts'

const MOVES = 'shared/govern/executions/built-in-effects.ts'
const REGISTERS = 'functions/effects.ts'

/** Shares a file with what erases, and runs none of it. */
const READS_ONLY = ['functions/evidence/get-erasure.ts']

const sources = readSources()
const importedBy = new Map(
  sources.map((source) => [
    source.path,
    importsOf(source).flatMap(({ from, typeOnly }) => (typeOnly ? [] : join(dirname(source.path), from))),
  ]),
)

function reachedFrom(path: string, seen = new Set<string>()): Set<string> {
  const imported = importedBy.get(path)
  if (!imported || seen.has(path)) return seen
  seen.add(path)
  for (const next of imported) reachedFrom(next, seen)
  return seen
}

test('every function that moves executions registers what the actions of the service change', () => {
  const functions = [...importedBy.keys()].filter((path) =>
    /^functions\/[^/]+\/(?!routes|examples)[^/]+\.ts$/.test(path),
  )
  const moving = functions.filter((path) => reachedFrom(path).has(MOVES))

  expect(moving.length).toBeGreaterThan(10)
  expect(moving.filter((path) => !reachedFrom(path).has(REGISTERS))).toEqual(READS_ONLY)
})
