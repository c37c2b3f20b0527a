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
    ['{"openapi":3.1}', 'must be OpenAPI 3.0, 3.1 or 3.2'],
    ['', 'is not an OpenAPI document'],
    ['- a', 'is not an OpenAPI document'],
    ['{"openapi":"3.1.0"', 'is not valid JSON'],
    ['a: [', 'is neither valid JSON nor valid YAML, or expands too many aliases'],
    ['a: 1\na: 2', 'is neither valid JSON nor valid YAML, or expands too many aliases'],
    [`{"openapi":"3.1.0","x-a":${nested(64)}}`, 'must not be nested deeper than 64'],
    [`openapi: 3.1.0\nx-a: ${nested(64)}`, 'must not be nested deeper than 64'],
    ['openapi: 3.1.0\nx-a: &a [*a]', 'must not be nested deeper than 64'],
    [`openapi: 3.1.0\nx-a: ${nested(5_000)}`, 'is neither valid JSON nor valid YAML, or expands too many aliases'],
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
    await expect(readDocument(bomb)).rejects.toThrow('expands too many aliases')
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
