import { describe, expect, test } from 'vitest'
import { largeFile, largeFunctions } from './support/size.ts'
import { parse } from './support/source.ts'

const lines = (count: number) => 'void 0\n'.repeat(count)

describe('the size report', () => {
  test('names a file beyond the guidance for its folder', () => {
    expect(largeFile(parse('shared/a.ts', lines(151)))).toEqual(['shared/a.ts 151 lines (150)'])
    expect(largeFile(parse('shared/a.ts', lines(150)))).toEqual([])
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
