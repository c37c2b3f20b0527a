import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { codeOf } from '../../infra/bundle.ts'
import { sourceOf } from '../../infra/surface.ts'
import { bundleAll } from './support/closures.ts'

const KB = 1_000
const BASE_BYTES = 400 * KB
/** What a bundle may weigh more: parts that few functions need, each with its own weight. */
const ALLOWANCES: readonly (readonly [RegExp, number])[] = [
  [/@aws-sdk\/client-s3\//, 160 * KB],
  [/@aws-sdk\/client-kms\//, 30 * KB],
  [/@aws-sdk\/client-sqs\//, 25 * KB],
  [/@aws-sdk\/client-eventbridge\//, 20 * KB],
  [/node_modules\/ajv\//, 135 * KB],
  [/^shared\/governance\//, 50 * KB],
  [/^shared\/executions\//, 30 * KB],
  [/^shared\/events\/payloads\//, 12 * KB],
]

const bytesMax = (inputs: Iterable<string>) => {
  const all = [...inputs]
  const needed = ALLOWANCES.filter(([name]) => all.some((input) => name.test(input)))
  return needed.reduce((sum, [, bytes]) => sum + bytes, BASE_BYTES)
}

const bundled = await bundleAll()
afterAll(() => bundled.remove())

const named = bundled.closures.map((closure) => [closure.entry.id, closure] as const)

describe.each(named)('%s', (_, { entry, files, inputs }) => {
  test('stays within its size', () => {
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)

    expect(bytes).toBeLessThanOrEqual(bytesMax(inputs))
  })

  test('its folder holds its entry and what that reaches, and no source map', () => {
    const expected = files.map(({ path }, position) => (position === 0 ? 'index.mjs' : basename(path)))

    expect(readdirSync(codeOf(entry, bundled.dist)).toSorted()).toEqual(expected.toSorted())
  })

  test('holds no other operation', () => {
    const others = [...inputs].filter((input) => input.startsWith('functions/') && input !== sourceOf(entry))

    expect(others.filter((input) => input !== 'functions/api.ts' && !input.endsWith('/routes.ts'))).toEqual([])
  })

  test('speaks one language and asks only Lambda for credentials', () => {
    const locales = [...inputs].filter((input) => /zod\/v4\/locales\/(?!index)/.test(input))
    const chains = [...inputs].filter((input) => /credential-provider-(sso|ini|node)\//.test(input))

    expect(locales.length).toBeLessThanOrEqual(1)
    expect(chains).toEqual([])
  })

  test('starts without node:http, which loads a second HTTP client', () => {
    const [start] = files.map(({ path }) => path)

    expect(loadedAtStart(String(start)).filter((path) => /^(node:)?http$/.test(path))).toEqual([])
  })
})

/** What Node loads before the handler can run: everything imported statically, external modules included. */
function loadedAtStart(output: string): string[] {
  const reached = new Set([output])
  for (const file of reached) {
    for (const { path, kind } of bundled.metafile.outputs[file]?.imports ?? []) {
      if (kind !== 'dynamic-import') reached.add(path)
    }
  }
  return [...reached]
}

describe('all bundles', () => {
  test('import together in one process, in any order', () => {
    const folder = join(bundled.dist, '.build')
    const entries = named.map(([id]) => join(folder, `${id}.mjs`))
    const program = `for (const file of process.argv.slice(1)) if (!(await import(file)).handler) throw new Error(file)`

    for (const order of [entries, entries.toReversed()]) {
      const env = { PATH: process.env.PATH, AWS_REGION: 'eu-west-1' }
      execFileSync(process.execPath, ['--input-type=module', '-e', program, ...order], { env })
    }
  })

  test('reading the routes loads no handler', () => {
    const unmatched = bundled.closures.find(({ entry }) => entry.id === 'gateway-unmatched')
    const ours = [...(unmatched?.inputs ?? [])].filter((input) => input.startsWith('functions/'))

    expect(ours.filter((input) => !/\/(routes|api|unmatched)\.ts$/.test(input))).toEqual([])
  })
})
