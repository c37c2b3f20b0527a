import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { bundle, type Entry } from '../../infra/bundle.ts'

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

  test('a function that is gone leaves nothing behind', async () => {
    await bundle(entries, dist)
    await bundle(entries.slice(1), dist)

    expect(existsSync(join(dist, 'sample/one'))).toBe(false)
  })
})
