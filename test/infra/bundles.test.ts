import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { codeOf } from '../../infra/bundle.ts'
import { sourceOf } from '../../infra/surface.ts'
import { bundleAll, type Closure } from './support/closures.ts'

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

describe.each(named)('%s', (_, { entry, outputs, inputs }) => {
  test('stays within its size', () => {
    const bytes = Object.values(outputs).reduce((sum, file) => sum + file.bytes, 0)

    expect(bytes).toBeLessThanOrEqual(bytesMax(inputs))
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
    expect(loadedAtStart(outputs).filter((path) => /^(node:)?http$/.test(path))).toEqual([])
  })
})

/** What Node loads before the handler can run: everything imported statically, external modules included. */
function loadedAtStart(outputs: Closure['outputs']): string[] {
  const reached = new Set(Object.keys(outputs).filter((path) => path.endsWith('/index.mjs')))
  for (const file of reached) {
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind !== 'dynamic-import') reached.add(path)
  }
  return [...reached]
}

describe('all bundles', () => {
  test('load, and each has a handler', () => {
    const files = bundled.closures.map(({ entry }) => join(codeOf(entry, bundled.dist), 'index.mjs'))
    const program = `for (const file of process.argv.slice(1)) if (!(await import(file)).handler) throw new Error(file)`
    const env = { PATH: process.env.PATH, AWS_REGION: 'eu-west-1' }

    execFileSync(process.execPath, ['--input-type=module', '-e', program, ...files], { env })
  })

  test('reading the routes loads no handler', () => {
    const unmatched = bundled.closures.find(({ entry }) => entry.id === 'gateway-unmatched')
    const ours = [...(unmatched?.inputs ?? [])].filter((input) => input.startsWith('functions/'))

    expect(ours.filter((input) => !/\/(routes|api|unmatched)\.ts$/.test(input))).toEqual([])
  })
})
