import { describe, expect, test } from 'vitest'
import { largeFile, largeFunctions, thinFiles } from './support/size.ts'
import { parse, readSources } from './support/source.ts'

/** Short files that stay by themselves: path → why. */
const KEPT: Record<string, string> = {}
/** Whether a short file with one importer fails the tests: as soon as those of today are merged. */
const ENFORCED = true

const lines = (count: number) => 'void 0\n'.repeat(count)

describe('the size report', () => {
  test('names a file beyond the guidance for its folder', () => {
    expect(largeFile(parse('shared/a.ts', lines(251)))).toEqual(['shared/a.ts 251 lines (250)'])
    expect(largeFile(parse('shared/a.ts', lines(250)))).toEqual([])
    expect(largeFile(parse('infra/a.ts', lines(151)))).toEqual(['infra/a.ts 151 lines (150)'])
    expect(largeFile(parse('functions/console/app/a.ts', lines(301)))).toEqual([
      'functions/console/app/a.ts 301 lines (300)',
    ])
    expect(largeFile(parse('functions/console/app/a.ts', lines(300)))).toEqual([])
    expect(largeFile(parse('functions/a/get.ts', lines(41)))).toEqual(['functions/a/get.ts 41 lines (40)'])
    expect(largeFile(parse('functions/a/routes.ts', lines(100)))).toEqual([])
    expect(largeFile(parse('test/a.test.ts', lines(251)))).toEqual(['test/a.test.ts 251 lines (250)'])
  })

  test('names a long function outside of tests', () => {
    const text = `function long() {\n${lines(39)}}`

    expect(largeFunctions(parse('shared/a.ts', `\n${text}`))).toEqual(['shared/a.ts:2 long 41 lines (40)'])
    expect(largeFunctions(parse('shared/a.ts', `function short() {\n${lines(38)}}`))).toEqual([])
    expect(largeFunctions(parse('test/a.ts', text))).toEqual([])
  })
})

describe('a short file with one importer', () => {
  const importing = (name: string) => `import { a } from '${name}'\n`
  const found = (files: Record<string, string>, kept?: Record<string, string>) =>
    thinFiles(new Map(Object.entries(files)), kept)

  test.skipIf(!ENFORCED)('is in no room of shared/, unless it says why', () => {
    const texts = new Map(readSources().map(({ path, text }) => [path, text]))

    expect(thinFiles(texts, KEPT)).toEqual([])
  })

  test('is found beside its importer', () => {
    expect(found({ 'shared/a/x.ts': lines(24), 'shared/a/y.ts': importing('./x.ts') })).toEqual([
      'shared/a/x.ts has 24 lines (25) and serves shared/a/y.ts alone: make them one',
    ])
  })

  test.each([
    ['is long enough', { 'shared/a/x.ts': lines(25), 'shared/a/y.ts': importing('./x.ts') }],
    ['serves another room', { 'shared/a/x.ts': lines(9), 'shared/b/y.ts': importing('../a/x.ts') }],
    [
      'serves two',
      { 'shared/a/x.ts': lines(9), 'shared/a/y.ts': importing('./x.ts'), 'shared/b/y.ts': importing('../a/x.ts') },
    ],
    ['is loaded late', { 'shared/a/x.ts': lines(9), 'shared/a/y.ts': `const x = () => import('./x.ts')\n` }],
    ['is not of shared/', { 'infra/a/x.ts': lines(9), 'infra/a/y.ts': importing('./x.ts') }],
  ])('passes where it %s', (_, files) => {
    expect(found(files)).toEqual([])
  })

  test('passes where the list says why it stays', () => {
    const files = { 'shared/a/x.ts': lines(9), 'shared/a/y.ts': importing('./x.ts') }

    expect(found(files, { 'shared/a/x.ts': 'a list that people edit' })).toEqual([])
  })
})
