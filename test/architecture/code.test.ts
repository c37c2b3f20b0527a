import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ambientTime, clients, reasons, words } from './support/code.ts'
import { FOLDERS, parse, readSources, ROOT } from './support/source.ts'

const sources = readSources()
const NOW = 'export const now = Date.now()'
const CLIENT = `import { SQSClient } from '@aws-sdk/client-sqs'\nexport const sqs = new SQSClient({})`

type Case = [path: string, text: string]

const RULES = [
  {
    promise: 'time and randomness are passed in',
    rule: ambientTime,
    refused: [
      ['shared/a/rules.ts', NOW],
      ['functions/a/get.ts', 'const at = new Date()'],
      ['infra/a.ts', 'const dice = Math.random()'],
      ['shared/a.ts', 'setTimeout(() => {}, 5)'],
      ['shared/a.ts', 'const id = crypto.randomUUID()'],
      ['shared/a.ts', `import { setTimeout as wait } from 'node:timers/promises'`],
      ['shared/a.ts', 'const clock = Date.now'],
    ],
    passed: [
      ['shared/base/lib/clock.ts', NOW],
      ['infra/local/clock.ts', NOW],
      ['shared/a.ts', 'export const day = (ms: number) => new Date(ms)'],
      ['shared/a.ts', `export const said = 'Date.now()' // not setTimeout`],
    ],
  },
  {
    promise: 'SDK clients are built in shared/base/aws',
    rule: clients,
    refused: [['shared/a.ts', CLIENT]],
    passed: [
      ['shared/base/aws/sqs.ts', CLIENT],
      ['test/a.ts', CLIENT],
    ],
  },
  {
    promise: 'whoever silences the compiler says why',
    rule: reasons,
    refused: [
      ['shared/a.ts', 'export let a: any'],
      ['shared/a.ts', 'export const a = b!'],
      ['shared/a.ts', 'export const a = b as unknown as string'],
      ['shared/a.ts', '// oxlint-disable-next-line typescript/no-explicit-any\nexport let a: any'],
      ['shared/a.ts', '// a reason that stands too far away\n\nexport const a = b!'],
    ],
    passed: [
      ['shared/a.ts', 'export const a = b! // the loop has just put it there'],
      [
        'shared/a.ts',
        '// Whatever a test looks for.\n// oxlint-disable-next-line typescript/no-explicit-any\nexport let a: any',
      ],
      ['shared/a.ts', 'export const a = b as unknown'],
    ],
  },
] satisfies { promise: string; rule: typeof clients; refused: Case[]; passed: Case[] }[]

describe.each(RULES.map((one) => [one.promise, one] as const))('%s', (_, { rule, refused, passed }) => {
  test('holds in every source', () => {
    expect(sources.flatMap(rule)).toEqual([])
  })

  test.each(refused)('a breach in %s is found: %s', (path, text) => {
    expect(rule(parse(path, text))).toEqual([expect.stringContaining(`${path}:`)])
  })

  test.each(passed)('%s may hold: %s', (path, text) => {
    expect(rule(parse(path, text))).toEqual([])
  })
})

describe('the repository says nothing of the machine it was made on, and nothing that is still to be done', () => {
  /** These rules spell out what they look for. */
  const THIS = /^test\/architecture\//

  test('holds in every file', () => {
    const found = globSync([`{${FOLDERS.join(',')},.ci}/**/*`, '*.*', '.*rc.json'], { cwd: ROOT, withFileTypes: true })
    const paths = found
      .filter((entry) => entry.isFile())
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    const texts = paths
      .filter((path) => !THIS.test(path))
      .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const)

    expect(texts.length).toBeGreaterThan(300)
    expect(texts.flatMap(([path, text]) => words(path, text))).toEqual([])
  })

  test.each(['// TODO later', '"/home/somebody/project"', 'see /Users/ada/notes', 'https://registry.npmjs.org/zod'])(
    'refused: %s',
    (text) => {
      expect(words('README.md', `first line\n${text}`)).toEqual([expect.stringContaining('README.md:2 says ')])
    },
  )

  test.each(['/api/v1/work/approvals', 'mastodon', 'the home of /dev/null'])('passed: %s', (text) => {
    expect(words('README.md', text)).toEqual([])
  })
})
