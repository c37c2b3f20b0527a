import { describe, expect, test } from 'vitest'
import { readDocument } from '../../../../../shared/deliver/integrations/openapi/read-document.ts'
import { textOf } from './document.ts'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

describe('reading a document', () => {
  test.for(['3.0.0', '3.0.4', '3.1.0', '3.1.1', '3.2.0'])('takes OpenAPI %s', async (openapi) => {
    expect(await readDocument(textOf({}, { openapi }))).toMatchObject({ openapi })
    expect(await readDocument(`openapi: ${openapi}\npaths: {}\n`)).toMatchObject({ openapi, paths: {} })
  })

  test.for([
    ['{"swagger":"2.0"}', 'is Swagger 2.0; convert it to OpenAPI 3'],
    ['swagger: "2.0"', 'is Swagger 2.0; convert it to OpenAPI 3'],
    ['{"openapi":"4.0.0"}', 'must be OpenAPI 3.0, 3.1 or 3.2'],
    ['{"openapi":3.3}', 'must be OpenAPI 3.0, 3.1 or 3.2'],
    ['{"openapi":3.14}', 'must be OpenAPI 3.0, 3.1 or 3.2'],
    ['', 'is not an OpenAPI document'],
    ['- a', 'is not an OpenAPI document'],
    ['{"openapi":"3.1.0"', 'is not valid JSON'],
    ['a: [', 'is neither valid JSON nor valid YAML (line 1)'],
    ['a: 1\na: 2', 'is YAML that has a key twice in one map (line 2)'],
    ['openapi: 3.1.0\n---\nopenapi: 3.1.0', 'is YAML with several documents; give one'],
    ['openapi: !version 3.1.0', 'is YAML with a tag that is not supported (line 1)'],
    ['openapi: 3.1.0\nx-a: !!binary aGk=', 'is YAML with a tag that is not supported (line 2)'],
    ['openapi: 3.1.0\nx-a: !!set {a}', 'is YAML with a tag that is not supported (line 2)'],
    ['openapi: 3.1.0\nx-a: *b', 'is YAML with an alias whose anchor is not before it'],
    ['openapi: 3.1.0\n? [a, b]\n: 1', 'is YAML with a list or a map as a key'],
    ['openapi: 3.1.0\nx-a: .inf', 'is YAML with a number that JSON does not have (.inf or .nan)'],
    ['openapi: 3.1.0\nx-a: {<<: 1}', 'is YAML with a merge key (<<) that names something else than a map'],
    ['openapi: 3.1.0\nx-a: &a {<<: *a}', 'must not be nested deeper than 64'],
    [`{"openapi":"3.1.0","x-a":${nested(64)}}`, 'must not be nested deeper than 64'],
    [`openapi: 3.1.0\nx-a: ${nested(64)}`, 'must not be nested deeper than 64'],
    ['openapi: 3.1.0\nx-a: &a [*a]', 'must not be nested deeper than 64'],
    [`openapi: 3.1.0\nx-a: ${nested(5_000)}`, 'must not be nested deeper than 64'],
  ])('refuses %.40s', async ([text = '', message]) => {
    await expect(readDocument(text)).rejects.toThrow(message)
  })

  test('takes the greatest nesting', async () => {
    expect(await readDocument(`{"openapi":"3.1.0","x-a":${nested(63)}}`)).toBeDefined()
    expect(await readDocument(`openapi: 3.1.0\nx-a: ${nested(63)}`)).toBeDefined()
  })

  test('refuses aliases that multiply', async () => {
    const lines = Array.from({ length: 9 }, (_, i) => `x-${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`)
    const bomb = ['openapi: 3.1.0', 'x-0: &a0 [1]', ...lines].join('\n')
    await expect(readDocument(bomb)).rejects.toThrow('expands to more than 2000000 values by its YAML aliases')
  })

  test('refuses merge keys that multiply', async () => {
    const names = Array.from({ length: 3_000 }, (_, i) => `k${i}: ${i}`).join(', ')
    const merges = Array.from({ length: 1_000 }, (_, i) => `x-${i}: {<<: *a}`)
    const bomb = ['openapi: 3.1.0', `x-a: &a {${names}}`, ...merges].join('\n')
    await expect(readDocument(bomb)).rejects.toThrow('expands to more than 2000000 values by its YAML merge keys')
  })

  test('takes an alias that is used often', async () => {
    const uses = Array.from({ length: 2_000 }, (_, i) => `x-${i}: *a`)
    const document = await readDocument(['openapi: 3.1.0', 'x-a: &a {type: string}', ...uses].join('\n'))
    expect(document).toMatchObject({ 'x-1999': { type: 'string' } })
  })

  test.for([
    ['openapi: 3.1', '3.1.0'],
    ['openapi: 3.0', '3.0.0'],
    ['openapi: "3.1"', '3.1.0'],
    ['{"openapi":3.1}', '3.1.0'],
    ['{openapi: 3.1.0, paths: {}}', '3.1.0'],
  ] as const)('%s is OpenAPI %s', async ([text, openapi]) => {
    expect(await readDocument(text)).toMatchObject({ openapi })
  })

  test('resolves merge keys: what a map says wins over what it merges, and the first over the next', async () => {
    const text = [
      'openapi: 3.1.0',
      'x-a: &a {one: 1, two: 1, three: 1}',
      'x-b: &b {two: 2, four: 2}',
      'x-c: &c {<<: [*b, *a], three: 3}',
      'x-d:',
      '  <<: *c',
      '  four: 4',
    ].join('\n')
    expect(await readDocument(text)).toMatchObject({
      'x-c': { one: 1, two: 2, three: 3, four: 2 },
      'x-d': { one: 1, two: 2, three: 3, four: 4 },
    })
    expect(await readDocument(text)).not.toHaveProperty(['x-d', '<<'])
  })

  test('reads YAML 1.2, and 1.1 where the document declares it', async () => {
    const lines = 'openapi: 3.1.0\nx-a: [yes, 0o17, 017, 2020-01-01, !!str 1, 0x1F]\n'
    expect(await readDocument(lines)).toMatchObject({ 'x-a': ['yes', 15, 17, '2020-01-01', '1', 31] })
    expect(await readDocument(`%YAML 1.1\n---\n${lines}`)).toMatchObject({
      'x-a': [true, '0o17', 15, '2020-01-01', '1', 31],
    })
    const merge = '%YAML 1.1\n---\nopenapi: 3.1.0\nx-a: &a {b: 1}\nx-c: {<<: *a}\n'
    expect(await readDocument(merge)).toMatchObject({ 'x-c': { b: 1 } })
  })

  test('limits the size of JSON and YAML', async () => {
    const long = 'a'.repeat(8 * 1_048_576)
    await expect(readDocument(`openapi: 3.1.0\nx-a: ${long}`)).rejects.toThrow('must not exceed 8388608 bytes')
    await expect(readDocument(`{"x-a":"${long}${long}${long}"}`)).rejects.toThrow('must not exceed 20971520 bytes')
    expect(await readDocument(`{"openapi":"3.1.0","x-a":"${long}${long}"}`)).toBeDefined()
  })

  test('gives nobody another prototype', async () => {
    const document = await readDocument('openapi: 3.1.0\n__proto__:\n  paths: {"/a": {get: {}}}\n')
    expect(Reflect.get(document, 'paths')).toBeUndefined()
    expect(Object.getPrototypeOf(document)).toBe(Object.prototype)
  })
})
