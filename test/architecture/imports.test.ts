import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { barrels, defaultExports, developmentPackages, extensions, layers, zodAsNamespace } from './support/imports.ts'
import { parse, readSources, ROOT } from './support/source.ts'

const { dependencies }: { dependencies: object } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const packages = developmentPackages(Object.keys(dependencies))
const sources = readSources()

type Case = [path: string, text: string]

/** Each rule with what it must refuse and what it must let pass. */
const RULES = [
  {
    promise: 'sources import from their own layer and those below',
    rule: layers,
    refused: [
      ['shared/a/rules.ts', `import { SURFACE } from '../../infra/surface.ts'`],
      ['shared/a/rules.ts', `const later = await import('../../functions/api.ts')`],
      ['functions/a/get.ts', `import { handler } from './list.ts'`],
      ['functions/a/get.ts', `import { codeOf } from '../../infra/bundle/bundle.ts'`],
      ['functions/a/get.ts', `import { examples } from './examples.ts'`],
      ['functions/a/examples.ts', `import { examples } from '../b/examples.ts'`],
      ['functions/a/routes.ts', `import * as z from '../../shared/base/wire/fields.ts'`],
      ['functions/api.ts', `import { handler } from './a/get.ts'`],
      ['infra/stacks/service.ts', `import { createKms } from '../local/kms.ts'`],
      ['infra/uses.ts', `import { Table } from '../shared/table/table.ts'`],
      ['infra/local/kms.ts', `import { kms } from '../../shared/base/aws/kms.ts'`],
      ['bin/app.ts', `import { startStack } from '../infra/local/stack.ts'`],
    ],
    passed: [
      ['shared/a/rules.ts', `import { conflict } from '../lib/failure.ts'`],
      ['functions/a/routes.ts', `import { area } from '../../shared/base/wire/route.ts'`],
      ['functions/a/examples.ts', `import { KEY } from '../samples.ts'\nimport type { a } from './routes.ts'`],
      ['functions/a/get.ts', `import { a } from './routes.ts'\nimport { getA } from '../../shared/a/get.ts'`],
      ['infra/uses.ts', `import { TABLE } from './topology.ts'`],
      ['bin/local.ts', `import { startStack } from '../infra/local/stack.ts'`],
      ['test/support/stack.ts', `import { startStack } from '../../infra/local/stack.ts'`],
    ],
  },
  {
    promise: 'relative imports name the file',
    rule: extensions,
    refused: [
      ['shared/a.ts', `import { b } from './b'`],
      ['shared/a.ts', `export { b } from './b.js'`],
    ],
    passed: [['shared/a.ts', `import { b } from './b.ts'\nimport { c } from 'node:fs'`]],
  },
  {
    promise: 'zod is imported as a namespace',
    rule: zodAsNamespace,
    refused: [
      ['shared/a.ts', `import { z } from 'zod'`],
      ['shared/a.ts', `import z from 'zod'`],
    ],
    passed: [
      ['shared/a.ts', `import * as z from 'zod'`],
      ['shared/a.ts', `import type * as z from 'zod'`],
    ],
  },
  {
    promise: 'nobody hands on what others export',
    rule: barrels,
    refused: [
      ['shared/a.ts', `export * from './b.ts'`],
      ['shared/a.ts', `export { b } from './b.ts'`],
      ['shared/a.ts', `export * from '@aws-sdk/client-sqs'`],
    ],
    passed: [
      [
        'shared/a.ts',
        `export const a = 1\nexport { a as b }\nexport { SendMessageCommand } from '@aws-sdk/client-sqs'`,
      ],
    ],
  },
  {
    promise: 'nothing is exported as a default, but configuration',
    rule: defaultExports,
    refused: [['shared/a.ts', 'export default function a() {}']],
    passed: [['test/vitest.config.ts', 'export default {}']],
  },
  {
    promise: 'what is deployed needs no development package',
    rule: packages,
    refused: [['shared/a.ts', `import { build } from 'esbuild'`]],
    passed: [
      ['shared/a.ts', `import { hash } from 'node:crypto'\nimport * as z from 'zod'`],
      ['infra/a.ts', `import 'esbuild'`],
    ],
  },
] satisfies { promise: string; rule: typeof layers; refused: Case[]; passed: Case[] }[]

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
