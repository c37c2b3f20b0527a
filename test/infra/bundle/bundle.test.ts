import { constants } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { bundle, DIST, type Entry, loadedAtStart } from '../../../infra/bundle/bundle.ts'

const folder = mkdtempSync(join(tmpdir(), 'countersign-bundle-'))
const dist = join(folder, 'dist/lambda')
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, ...lines: string[]): string {
  const file = join(folder, `${name}.ts`)
  writeFileSync(file, lines.join('\n'))
  return file
}

const entry = (name: string, ...lines: string[]): Entry => ({
  id: `sample-${name}`,
  area: 'sample',
  operation: name,
  file: write(name, ...lines),
})

const text = (name: string) => readFileSync(join(dist, 'sample', name, 'index.mjs'), 'utf8')

write('shared', `export const shared = () => 'used by both'`, `export const rare = () => 'used by two alone'`)
write('later', `export const later = 'loaded when needed'`)
write('late-one', `import { shared } from './shared.ts'`, `export const one = () => shared()`)
write('late-two', `export const two = (rare) => rare()`)
const SHARED = `import { rare, shared } from './shared.ts'`
const entries = [
  entry('one', SHARED, `export const handler = async () => [shared(), (await import('./later.ts')).later]`),
  entry('two', SHARED, `export const handler = async () => [shared(), rare()]`),
]
const parted = entry(
  'parted',
  SHARED,
  `export const handler = async () => [(await import('./late-one.ts')).one(), (await import('./late-two.ts')).two(rare)]`,
  `shared()`,
)
const storer: Entry = { id: 'bare', area: 'sample', operation: 'storer', file: 'test/bench/bare-handler.ts' }

const ZOD = fileURLToPath(new URL('../../../node_modules/zod/index.js', import.meta.url))
const nodeUser = entry(
  'node-user',
  `import { createHash } from 'node:crypto'`,
  `import * as path from 'node:path'`,
  `import buffer from 'node:buffer'`,
  `export const handler = async () => [createHash('md5').update('').digest('hex'), path.posix.join('a', 'b'), buffer.kMaxLength]`,
)
writeFileSync(join(folder, 'package.cjs'), `exports.hash = (text) => require('crypto').hash('md5', text)`)
const requirer = entry(
  'requirer',
  `import { hash } from './package.cjs'`,
  `export const handler = async () => hash('')`,
)
const reader = entry(
  'reader',
  `const wordsOf = (text) => text.match(/[\\p{L}]+/gu)`,
  `export const handler = async () => wordsOf('één, twee')`,
)
const describer = entry(
  'describer',
  `import * as z from '${ZOD}'`,
  `const shape = z.object({ a: z.string().min(2).optional(), b: z.array(z.int()).nullable(), c: z.enum(['x', 'y']),`,
  `  d: z.string(), e: z.string().optional(), f: z.string().meta({ title: 'F' }).optional(), g: z.string().optional() })`,
  `export const handler = async () => z.toJSONSchema(shape)`,
)
const checker = entry(
  'checker',
  `import * as z from '${ZOD}'`,
  `const shape = z.object({ a: z.string(), b: z.string('wrong'), c: z.string().min(2), d: z.string().min(2).optional() })`,
  `const issues = shape.safeParse({ a: 1, b: 1, c: '', d: '' }).error.issues`,
  `export const handler = async () => [z.string() === z.string(), issues.map(({ path, message }) => [...path, message])]`,
)

const methods = entry(
  'methods',
  `import * as z from '${ZOD}'`,
  `const short = [[z.string(), 'a'], [z.number(), 1], [z.array(z.string()), ['a']]].map(([kind, value]) => kind.min(2).safeParse(value))`,
  `const { optional } = z.int()`,
  `export const handler = async () => [`,
  `  short.map(({ error }) => [error instanceof z.ZodError, error.issues[0].origin]),`,
  `  optional().parse(undefined), z.int().format, 'shape' in z.string(), z.string().meta({ title: 'A' }).meta()]`,
)

const told = entry(
  'told',
  `import * as z from '${ZOD}'`,
  `const name = z.string().max(9).describe('What it is called.')`,
  `const shape = z.object({ name: name.optional().describe('Its own name.').meta({ examples: ['Bo'] }) })`,
  `export const handler = async () => shape.parse({ name: 'Ann' })`,
)
const silent = entry(
  'silent',
  `import * as z from '${ZOD}'`,
  `const name = z.string().max(9)`,
  `const shape = z.object({ name: name.optional() })`,
  `export const handler = async () => shape.parse({ name: 'Ann' })`,
)

async function responseOf({ operation }: Entry): Promise<unknown> {
  const { handler }: { handler: () => Promise<unknown> } = await import(join(dist, 'sample', operation, 'index.mjs'))
  return handler()
}

describe('bundle', () => {
  test('a function and what it loads later run from its folder alone', async () => {
    const { linked } = await bundle(entries, dist)
    const { handler }: { handler: () => Promise<string[]> } = await import(join(dist, 'sample/one/index.mjs'))

    expect(Object.keys(linked)).toEqual(['sample-one', 'sample-two'])
    expect(readdirSync(join(dist, 'sample/one'))).toHaveLength(3)
    expect(readdirSync(join(dist, 'sample/two'))).toEqual(['index.mjs'])
    expect(await handler()).toEqual(['used by both', 'loaded when needed'])
  })

  test('what only another function uses of a shared module is left out', async () => {
    await bundle(entries, dist)

    expect(text('one')).not.toContain('used by two alone')
    expect(text('two')).toContain('used by two alone')
  })

  test('a function that loads another one is refused', async () => {
    const caller = entry('caller', `export const handler = async () => (await import('./one.ts')).handler()`)

    await expect(bundle([...entries, caller], join(folder, 'refused'))).rejects.toThrow(
      'imports the function sample-one',
    )
  })

  test('what nothing imports any more has no file', async () => {
    write('seldom', `export const rarely = 'seldom used'`)
    write(
      'kernel',
      `export const read = () => 1`,
      `export const send = async () => (await import('./seldom.ts')).rarely`,
    )
    const read = entry('read', `import { read } from './kernel.ts'`, `export const handler = async () => read()`)
    const send = entry('send', `import { send } from './kernel.ts'`, `export const handler = async () => send()`)
    await bundle([read, send], dist)

    const only = join(dist, 'sample/read')
    expect(
      readdirSync(only)
        .map((file) => readFileSync(join(only, file), 'utf8'))
        .join(),
    ).not.toContain('seldom used')
    expect(await responseOf(send)).toBe('seldom used')
  })

  test('what other commands wrote beside the bundles stays', async () => {
    const client = join(dist, '../client')
    mkdirSync(client)
    await bundle(entries, dist)

    expect(existsSync(client)).toBe(true)
    expect(DIST).toMatch(/\/dist\/lambda$/)
  })

  test('what is imported late does not load at the start', async () => {
    const outputs = (await bundle(entries, dist)).linked['sample-one']?.outputs ?? {}
    const atStart = [...loadedAtStart(outputs)].map((path) => readFileSync(path, 'utf8')).join()

    expect(atStart).toContain('used by both')
    expect(atStart).not.toContain('loaded when needed')
  })

  test('what loads at the start is one file beside the index, whatever late parts share with it', async () => {
    const outputs = (await bundle([parted], dist)).linked[parted.id]?.outputs ?? {}

    expect(Object.keys(outputs)).toHaveLength(4)
    expect(loadedAtStart(outputs).size).toBe(2)
    expect(await responseOf(parted)).toEqual(['used by both', 'used by two alone'])
  })

  test('the SDK reads no configuration files, nor what Node would load for them', async () => {
    await bundle([storer], dist)
    const program = `await import(process.argv[1]); process.stdout.write(JSON.stringify(process.moduleLoadList))`
    const file = join(dist, 'sample', storer.operation, 'index.mjs')
    const list = execFileSync(process.execPath, ['--input-type=module', '-e', program, file], { encoding: 'utf8' })

    const loaded: string[] = JSON.parse(list)
    expect(loaded).toContain('NativeModule https')
    expect(loaded.filter((name) => /NativeModule (fs\/promises|internal\/fs\/streams|readline)$/.test(name))).toEqual(
      [],
    )
  })

  test('packages in CommonJS find the modules of Node that they require', async () => {
    await bundle([requirer], dist)

    expect(await responseOf(requirer)).toBe('d41d8cd98f00b204e9800998ecf8427e')
  })

  test('patterns over Unicode are made when they are used', async () => {
    await bundle([reader], dist)

    expect(text('reader')).toContain('RegExp(')
    expect(await responseOf(reader)).toEqual(['één', 'twee'])
  })

  test('modules of Node are used without the import that would read all they export', async () => {
    const { linked } = await bundle([nodeUser], dist)
    const [output] = Object.values(linked[nodeUser.id]?.outputs ?? {})

    expect(output?.imports).toEqual([])
    expect(text('node-user')).not.toContain('webcrypto')
    expect(await responseOf(nodeUser)).toEqual(['d41d8cd98f00b204e9800998ecf8427e', 'a/b', constants.MAX_LENGTH])
  })

  test('a function that describes its shapes describes them as the sources do', async () => {
    await bundle([describer], dist)
    const shape = z.object({
      a: z.string().min(2).optional(),
      b: z.array(z.int()).nullable(),
      c: z.enum(['x', 'y']),
      d: z.string(),
      e: z.string().optional(),
      f: z.string().meta({ title: 'F' }).optional(),
      g: z.string().optional(),
    })

    expect(await responseOf(describer)).toEqual(z.toJSONSchema(shape))
  })

  test('what shapes say for the reference takes no byte', async () => {
    await bundle([told, silent], dist)

    expect(text('told')).toBe(text('silent'))
    expect(await responseOf(told)).toEqual({ name: 'Ann' })
  })

  test('schemas without settings are shared, and the settings of one are not those of another', async () => {
    await bundle([checker], dist)

    expect(await responseOf(checker)).toEqual([
      true,
      [
        ['a', 'Invalid input: expected string, received number'],
        ['b', 'wrong'],
        ['c', 'Too small: expected string to have >=2 characters'],
        ['d', 'Too small: expected string to have >=2 characters'],
      ],
    ])
  })

  test('each kind of schema has its own methods, and they work alone', async () => {
    await bundle([methods], dist)

    expect(await responseOf(methods)).toEqual([
      [
        [true, 'string'],
        [true, 'number'],
        [true, 'array'],
      ],
      undefined,
      'safeint',
      false,
      { title: 'A' },
    ])
  })

  test('a function that is gone leaves nothing behind', async () => {
    await bundle(entries, dist)
    await bundle(entries.slice(1), dist)

    expect(existsSync(join(dist, 'sample/one'))).toBe(false)
  })
})
