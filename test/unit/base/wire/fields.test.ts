import * as z from 'zod'
import { describe, expect, test } from 'vitest'
import { freeForm, id, optional, plainText } from '../../../../shared/base/wire/fields.ts'

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

test('null and absence of an optional field are the same', () => {
  const shape = z.strictObject({ a: optional(z.int()) })

  expect(shape.parse({ a: null }).a).toBeUndefined()
  expect(shape.parse({}).a).toBeUndefined()
  expect(shape.parse({ a: 0 }).a).toBe(0)
  expect(accepts(shape, { a: 'x' })).toBe(false)
})

test('a free-form object keeps every member, whatever its name', () => {
  const value = { constructor: 1, prototype: { a: [null] }, '': 'x' }

  expect(freeForm.parse(value)).toEqual(value)
  for (const other of [null, [], 'text', 1, true, undefined]) expect(accepts(freeForm, other)).toBe(false)
})

describe('plain text', () => {
  test.each(['\u0000', 'a\nb', '\r', '\t', '\u001b[31m', '\u007f'])(
    '%j is refused for its control character',
    (text) => {
      expect(accepts(plainText(10), text)).toBe(false)
    },
  )

  test('its length is bounded on both sides', () => {
    expect(accepts(plainText(3), 'abc')).toBe(true)
    expect(accepts(plainText(3), 'abcd')).toBe(false)
    expect(accepts(plainText(3), '')).toBe(false)
    expect(accepts(plainText(3, 0), '')).toBe(true)
    expect(accepts(plainText(10), 'größe 日本')).toBe(true)
  })
})

describe('an id', () => {
  test.each(['a', 'exe_01JD3Q8Z5N7V2W9X4Y6T1S0RPM', 'crm.contacts.editor', 'a@b~c:d-e', 'x'.repeat(128)])(
    '%s may be one',
    (text) => {
      expect(accepts(id, text)).toBe(true)
    },
  )

  test.each(['', 'a#b', 'a b', 'a/b', 'é', '\u0000', 'a\n', 'x'.repeat(129)])('%j cannot be one', (text) => {
    expect(accepts(id, text)).toBe(false)
  })
})
