// The types that openapi-typescript makes of the document, as integrators use them with openapi-fetch under `--strict`.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../../functions/api.ts'
import type { CodeSample } from '../../../infra/openapi/code-samples.ts'
import { openapiDocument } from '../../../infra/openapi/document.ts'
import type { Route } from '../../../shared/base/wire/route.ts'

const ROOT = join(import.meta.dirname, '../../..')
const GENERATE = [
  '--import',
  join(import.meta.dirname, '../support/typescript-api.mjs'),
  join(ROOT, 'node_modules/openapi-typescript/bin/cli.js'),
]
const OPTIONS = '--strict --noEmit --pretty false --module nodenext --target es2023 --lib es2023,dom'
const STRICT = [...OPTIONS.split(' '), '--types', '']

type Document = { paths: Record<string, Record<string, { 'x-codeSamples'?: CodeSample[] }>> }

/** The TypeScript samples of all operations. */
const samplesIn = ({ paths }: Document): string[] =>
  Object.values(paths)
    .flatMap((methods) => Object.values(methods).flatMap((operation) => operation['x-codeSamples'] ?? []))
    .flatMap(({ lang, source }) => (lang === 'TypeScript' ? source : []))

let folder: string
let samples: string[]
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'foreign-client-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const document = JSON.stringify(await openapiDocument())
  samples = samplesIn(JSON.parse(document) as Document)
  writeFileSync(join(folder, 'openapi.json'), document)
  const { code, output } = await run(process.execPath, [...GENERATE, 'openapi.json', '-o', 'api.d.ts'])
  if (code !== 0) throw new Error(output)
})
afterAll(() => rmSync(folder, { recursive: true }))

type Ended = { code: number; output: string }

const run = (file: string, args: readonly string[]) =>
  new Promise<Ended>((resolve) => {
    execFile(file, args, { cwd: folder }, (error, output, errors) => {
      resolve({ code: error ? 1 : 0, output: output + errors })
    })
  })

/** What the compiler says of these statements: empty when they compile. Each stands in a scope of its own. */
async function compile(statements: readonly string[], name = 'use'): Promise<string> {
  const head = "import createClient from 'openapi-fetch'\nimport type { paths } from './api.js'"
  const client = "const client = createClient<paths>({ baseUrl: 'https://api.example' })"
  const scopes = statements.map((statement) => `{ ${statement} }`)
  writeFileSync(join(folder, `${name}.ts`), [head, client, ...scopes, 'export {}'].join('\n'))
  const { output } = await run(join(ROOT, 'node_modules/.bin/tsc'), [...STRICT, `${name}.ts`])
  return output
}

const call = ({ method, path }: Pick<Route, 'method' | 'path'>, body: unknown) => {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => `${match[1]}: 'x'`)
  const params = names.length > 0 ? `params: { path: { ${names.join(', ')} } }, ` : ''
  return `await client.${method}('${path}', { ${params}body: ${JSON.stringify(body)} })`
}

const REQUEST = /curl -s (\S+) .*?-d '(\{[^']*\})'/g
const VARIABLES: [string, string][] = [
  ['$API', ''],
  ['$C/', '/api/v1/integration-fabric/connectors/'],
]

/** Every request with a body in the README, with its route. */
function readmeCalls(): string[] {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8')
  return [...text.matchAll(REQUEST)].map(([, url = '', body = '']) => {
    const path = VARIABLES.reduce((known, [name, value]) => known.replace(name, value), url)
    const route = routes.find(
      (one) => one.method === 'POST' && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
    )
    if (!route) throw new Error(`README.md: no route for ${url}`)
    return call(route, JSON.parse(body))
  })
}

test('the bodies of the README and every TypeScript sample compile, and their answers are typed', async () => {
  const readme = readmeCalls()
  const typed = "const { data } = await client.GET('/api/health/live'); const alive: 'alive' | undefined = data?.status"

  expect(readme.length).toBeGreaterThan(5)
  expect(samples.length).toBeGreaterThan(250)
  expect(await compile([...readme, ...samples, `${typed}; console.log(alive)`])).toBe('')
})

test('a missing member, a wrong type and none of two exclusive members do not compile', async () => {
  const execute = { method: 'POST', path: '/api/v1/protocol/execute' } as const
  const erase = { method: 'POST', path: '/api/evidence/erasures' } as const
  const right = { node_id: 'a.b.c', action_id: 'x', payload: { amount: 12.5 } }

  const [missing, wrong, neither] = await Promise.all([
    compile([call(execute, { node_id: 'a.b.c', action_id: 'x' })], 'missing'),
    compile([call(execute, { ...right, node_id: 7 })], 'wrong'),
    compile([call(erase, { reason: 'asked' })], 'neither'),
  ])

  expect(missing).toContain('payload')
  expect(wrong).toContain("'number' is not assignable to type 'string'")
  expect(neither).toContain('data_subject')
})
