import { describe, expect, test } from 'vitest'
import { bannedWords } from './support/banned-words.ts'
import { closureOf, graphOf, importLines } from './support/graph.ts'
import { houseOf, median, roomsOf, tableOf } from './support/house.ts'

const of = (files: Record<string, string>) => new Map(Object.entries(files))
const valueOf = (files: Record<string, string>, name: string) =>
  houseOf(of(files), []).find((measure) => measure.name.startsWith(name))?.value

describe('the graph of the sources', () => {
  const graph = graphOf(
    of({
      'shared/a/vote.ts': `import { b } from './b.ts'\nimport type { C } from '../c/c.ts'\nconst late = () => import('./late.ts')`,
      'shared/a/b.ts': `import {\n  type C,\n  type D,\n} from '../c/c.ts'\nexport type { E } from './late.ts'`,
      'shared/a/late.ts': `import { type C, c } from '../c/c.ts'\nimport * as z from 'zod'`,
      'shared/c/c.ts': '',
    }),
  )

  test('knows every importer of a file, also one of its types and a late one', () => {
    expect([...(graph.importers.get('shared/c/c.ts') ?? [])]).toEqual([
      'shared/a/vote.ts',
      'shared/a/b.ts',
      'shared/a/late.ts',
    ])
    expect(graph.importers.get('shared/a/late.ts')?.size).toBe(2)
  })

  test('reaches what is loaded with a file, but neither types nor what is loaded late', () => {
    expect([...closureOf('shared/a/vote.ts', graph.values)]).toEqual(['shared/a/vote.ts', 'shared/a/b.ts'])
    expect(closureOf('shared/a/late.ts', graph.values).size).toBe(2)
  })

  test('counts the lines of imports, also of those that take several', () => {
    expect(importLines(`import 'a'\nimport { b } from 'b'\nimport {\n  c,\n} from 'c'\n\nconst importance = 1\n`)).toBe(
      5,
    )
  })
})

describe('the measures of the house', () => {
  test('take the middle of an even list between two', () => {
    expect(median([1, 2, 4, 9])).toBe(3)
    expect(median([1, 2, 9])).toBe(2)
  })

  test('name the fullest room', () => {
    expect(roomsOf(['shared/a/x.ts', 'shared/b/x.ts', 'shared/b/y.ts'])[0]).toEqual(['shared/b', 2])
  })

  test('count files of one importer in shared/ alone', () => {
    const files = {
      'shared/a.ts': `import './b.ts'`,
      'shared/b.ts': '',
      'infra/c.ts': '',
      'infra/d.ts': `import './c.ts'`,
    }

    expect(valueOf(files, 'files of shared/ with exactly one importer')).toBe('1')
  })

  test.each([
    ['senders', 'await sqs().send(new SendMessageCommand(input))'],
    ['leases', 'export const LEASE_MS = 60_000'],
    ['moves', 'export async function moveTask() {}'],
    ['loops', 'for (let attempt = 0; ; attempt += 1) {}'],
    ['banned names of code', 'export const judgedAgain = 1'],
  ])('find %s that are written by hand, but not those of the kernel', (name, text) => {
    expect(valueOf({ 'shared/a/b.ts': text }, name)).toBe('1')
    expect(valueOf({ 'shared/a/b.ts': 'export const vote = 1' }, name)).toBe('0')
    if (name !== 'banned names of code') expect(valueOf({ 'shared/base/kernel/b.ts': text }, name)).toBe('0')
  })

  test('count the descriptions in tables by name', () => {
    const text = `export const PROPERTY_WORDS = {\n  id: 'The id.',\n  'Vote.at':\n    'When.',\n}\n`

    expect(valueOf({ 'infra/openapi/property-words.ts': text }, 'descriptions')).toBe('2')
    expect(valueOf({}, 'descriptions')).toBe('0')
  })

  test('find banned words where they stand, and let others pass', () => {
    expect(bannedWords({ path: 'a.ts', line: 3, text: 'The vote.\nHe is told, whoever asks.' })).toEqual([
      expect.stringContaining('a.ts:4 says "told"'),
      expect.stringContaining('a.ts:4 says "whoever"'),
    ])
    expect(
      bannedWords({ path: 'a.ts', line: 1, text: 'The commit fails if the task was assigned meanwhile.' }),
    ).toEqual([])
  })

  test('say which goal is met', () => {
    expect(
      tableOf([
        { name: 'a', value: '1', goal: '≤ 2', ok: true },
        { name: 'bcd', value: '3', goal: '≤ 2', ok: false },
      ]),
    ).toEqual(['ok   a          1  (≤ 2)', '     bcd        3  (≤ 2)'])
  })
})
