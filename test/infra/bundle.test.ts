import { constants } from 'node:buffer'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { bundle, type Entry, loadedAtStart } from '../../infra/bundle.ts'

const folder = mkdtempSync(join(tmpdir(), 'countersign-bundle-'))
const dist = join(folder, 'dist')
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
const SHARED = `import { rare, shared } from './shared.ts'`
const entries = [
  entry('one', SHARED, `export const handler = async () => [shared(), (await import('./later.ts')).later]`),
  entry('two', SHARED, `export const handler = async () => [shared(), rare()]`),
]

const ZOD = fileURLToPath(new URL('../../node_modules/zod/index.js', import.meta.url))
const nodeUser = entry(
  'node-user',
  `import { createHash } from 'node:crypto'`,
  `import * as path from 'node:path'`,
  `import buffer from 'node:buffer'`,
  `export const handler = async () => [createHash('md5').update('').digest('hex'), path.posix.join('a', 'b'), buffer.kMaxLength]`,
)
const describer = entry(
  'describer',
  `import * as z from '${ZOD}'`,
  `const shape = z.object({ a: z.string().min(2).optional(), b: z.array(z.int()).nullable(), c: z.enum(['x', 'y']) })`,
  `export const handler = async () => z.toJSONSchema(shape)`,
)

async function answerOf({ operation }: Entry): Promise<unknown> {
  const { handler }: { handler: () => Promise<unknown> } = await import(join(dist, 'sample', operation, 'index.mjs'))
  return handler()
}

describe('bundle', () => {
  test('a function and what it loads later run from its folder alone', async () => {
    const { linked } = await bundle(entries, dist)
    const { handler }: { handler: () => Promise<string[]> } = await import(join(dist, 'sample/one/index.mjs'))

    expect(Object.keys(linked)).toEqual(['sample-one', 'sample-two'])
    expect(readdirSync(join(dist, 'sample/one'))).toHaveLength(2)
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

  test('what is imported late does not load at the start', async () => {
    const outputs = (await bundle(entries, dist)).linked['sample-one']?.outputs ?? {}

    expect(Object.keys(outputs)).toHaveLength(2)
    expect([...loadedAtStart(outputs)]).toEqual([expect.stringMatching(/sample\/one\/index\.mjs$/)])
  })

  test('modules of Node are used without the import that would read all they export', async () => {
    const { linked } = await bundle([nodeUser], dist)
    const [output] = Object.values(linked[nodeUser.id]?.outputs ?? {})

    expect(output?.imports).toEqual([])
    expect(text('node-user')).not.toContain('webcrypto')
    expect(await answerOf(nodeUser)).toEqual(['d41d8cd98f00b204e9800998ecf8427e', 'a/b', constants.MAX_LENGTH])
  })

  test('a function that describes its shapes describes them as the sources do', async () => {
    await bundle([describer], dist)
    const shape = z.object({ a: z.string().min(2).optional(), b: z.array(z.int()).nullable(), c: z.enum(['x', 'y']) })

    expect(await answerOf(describer)).toEqual(z.toJSONSchema(shape))
  })

  test('a function that is gone leaves nothing behind', async () => {
    await bundle(entries, dist)
    await bundle(entries.slice(1), dist)

    expect(existsSync(join(dist, 'sample/one'))).toBe(false)
  })
})
