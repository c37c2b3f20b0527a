import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { bundle, codeOf, type Entry } from '../../infra/bundle.ts'

const folder = mkdtempSync(join(tmpdir(), 'countersign-bundle-'))
afterAll(() => rmSync(folder, { recursive: true }))

const write = (name: string, text: string) => {
  writeFileSync(join(folder, `${name}.ts`), text)
  return join(folder, `${name}.ts`)
}

const entry = (name: string, text: string): Entry => ({
  id: `sample-${name}`,
  area: 'sample',
  operation: name,
  file: write(name, text),
})

describe('bundle', () => {
  write('shared', `export const shared = () => 'used by two: ' + 'x'.repeat(Number(process.env.TIMES))`)
  write('later', `export const later = 'loaded when needed'`)
  const entries = [
    entry(
      'one',
      `import { shared } from './shared.ts'\nexport const handler = async () => shared() + (await import('./later.ts')).later`,
    ),
    entry('two', `import { shared } from './shared.ts'\nexport const handler = async () => shared()`),
  ]

  test('each folder holds what its entry reaches, also what it loads later, and shares it on disk', async () => {
    const dist = join(folder, 'dist')
    const { closures } = await bundle(entries, dist)
    const [one, two] = entries.map((each) => closures[each.id]?.length)

    expect([one, two]).toEqual([3, 2])
    const chunk = closures['sample-two']?.at(-1)?.split('/').at(-1) ?? ''
    const copies = ['one', 'two'].map((name) => statSync(join(dist, 'sample', name, chunk)).ino)
    expect(copies[0]).toBe(copies[1])
    const { handler }: { handler: () => Promise<string> } = await import(join(dist, 'sample/one/index.mjs'))
    expect(await handler()).toContain('loaded when needed')
  })

  test('source maps are made but not shipped', async () => {
    const dist = join(folder, 'dist')
    await bundle(entries, dist)

    expect(existsSync(join(dist, '.build/sample-one.mjs.map'))).toBe(true)
    expect(
      readFileSync(join(codeOf({ id: '', area: 'sample', operation: 'one' }, dist), 'index.mjs'), 'utf8'),
    ).not.toContain('sourceMappingURL')
  })

  test('a function that loads another one is refused', async () => {
    const caller = entry('caller', `export const handler = async () => (await import('./one.ts')).handler()`)

    await expect(bundle([...entries, caller], join(folder, 'refused'))).rejects.toThrow('imports the function')
  })

  test('a function that is gone leaves nothing behind', async () => {
    const dist = join(folder, 'dist')
    await bundle(entries, dist)
    await bundle(entries.slice(1), dist)

    expect(existsSync(join(dist, 'sample/one'))).toBe(false)
  })
})
