import { describe, expect, test } from 'vitest'
import { parseForm } from '../../../../shared/base/wire/parse-body.ts'

const TYPE = 'application/x-www-form-urlencoded'
const parse = (text: string, type = TYPE, max = 1_000) => parseForm(Buffer.from(text), { 'content-type': type }, max)
const fails = (kind: string) => expect.objectContaining({ kind })

describe('a form', () => {
  test('is its fields, decoded', () => {
    expect(parse('a=1&b=two+words&c=%C3%BC%26&d=')).toEqual({ a: '1', b: 'two words', c: 'ü&', d: '' })
    expect(parse('')).toEqual({})
  })

  test.each([
    TYPE,
    `${TYPE}; charset=UTF-8`,
    `${TYPE.toUpperCase()};charset="utf-8"`,
    `${TYPE}; charset=utf8`,
    `${TYPE};`,
    `${TYPE}; a="b;c"`,
  ])('may come as %s', (type) => {
    expect(parse('a=1', type)).toEqual({ a: '1' })
  })

  test.each(['application/json', 'multipart/form-data', 'text/plain', '', `${TYPE}x`, `${TYPE}; charset=latin1`])(
    '400: not as %j',
    (type) => {
      expect(() => parse('a=1', type)).toThrow(fails('malformed'))
    },
  )

  test('400: has each field once', () => {
    expect(() => parse('a=1&a=2')).toThrow(fails('malformed'))
  })

  test('413: has a limit', () => {
    expect(() => parse('a=12345', TYPE, 6)).toThrow(fails('too_large'))
    expect(parse('a=1234', TYPE, 6)).toEqual({ a: '1234' })
  })

  test('cannot name what is not a field', () => {
    expect(Object.getPrototypeOf(parse('__proto__=1'))).toBe(Object.prototype)
  })
})
