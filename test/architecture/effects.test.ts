import { dirname, join } from 'node:path/posix'
import { expect, test } from 'vitest'
import { importsOf } from './support/imports.ts'
import { readSources, type Source } from './support/source.ts'

const MOVES = 'shared/govern/executions/built-in-effects.ts'
const REGISTERS = 'functions/effects.ts'

/** Shares a file with what erases, and runs none of it. */
const READS_ONLY = ['functions/evidence/get-erasure.ts']

const sources = new Map(readSources().map((source) => [source.path, source]))
const importedBy = (source: Source) =>
  importsOf(source).flatMap(({ from, typeOnly }) => (typeOnly ? [] : join(dirname(source.path), from)))

function reachedFrom(path: string, seen = new Set<string>()): Set<string> {
  const source = sources.get(path)
  if (!source || seen.has(path)) return seen
  seen.add(path)
  for (const next of importedBy(source)) reachedFrom(next, seen)
  return seen
}

test('every function that moves executions registers what the actions of the service change', () => {
  const functions = [...sources.keys()].filter((path) => /^functions\/[^/]+\/(?!routes|examples)[^/]+\.ts$/.test(path))
  const moving = functions.filter((path) => reachedFrom(path).has(MOVES))

  expect(moving.length).toBeGreaterThan(10)
  expect(moving.filter((path) => !reachedFrom(path).has(REGISTERS))).toEqual(READS_ONLY)
})
