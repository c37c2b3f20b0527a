import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../../../shared/base/lib/json.ts'
import { Failure } from '../../../../shared/base/lib/failure.ts'
import { BODY_BYTES_DEFAULT, depthOf, parseBody, parseExact } from '../../../../shared/base/wire/parse-body.ts'
import { accepted, nested, refused } from '../../../support/awkward-json.ts'

const enter = (body: string | Uint8Array, headers: Record<string, string> = {}, bytesMax = BODY_BYTES_DEFAULT) =>
  parseBody(Buffer.from(body), headers, bytesMax)

function failureOf(run: () => unknown): Failure {
  try {
    run()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('awkward JSON', () => {
  test.each(accepted)('$name is carried exactly', ({ json, canonical }) => {
    expect(canonicalJson(enter(json))).toBe(canonical)
  })

  test.each(refused)('$name is refused with 422 at its place', ({ json, loc, msg }) => {
    expect(failureOf(() => enter(json))).toMatchObject({ status: 422, detail: [{ loc, msg, type: 'value_error' }] })
  })

  test('the key __proto__ changes no prototype while it is looked at', () => {
    failureOf(() => enter('{"a":{"__proto__":{"polluted":true}}}'))

    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  test('depth is counted outside strings only', () => {
    const brackets = '[{'.repeat(40)

    expect(enter(JSON.stringify({ a: brackets, b: `"${brackets}\\` }))).toEqual({ a: brackets, b: `"${brackets}\\` })
    expect(depthOf('{"a\\"[[[":[1,{"b":[]}],"c":[]}')).toBe(4)
  })

  test('32 levels enter, 33 do not, and 10,000 do not reach the parser', () => {
    expect(canonicalJson(enter(nested(32)))).toBe(nested(32))
    expect(failureOf(() => enter(nested(33)))).toMatchObject({
      status: 422,
      detail: [{ loc: ['body'], msg: 'nested deeper than 32', type: 'value_error' }],
    })
    expect(failureOf(() => enter('['.repeat(10_000)))).toMatchObject({ status: 422 })
  })

  test('all faults are told in document order, at most 50', () => {
    const json = '{"a":{"b":[1e400,{"__proto__":1}]},"__proto__":0,"c":9007199254740993,"d":"\\ud800"}'
    const locs = (failureOf(() => enter(json)).detail as { loc: unknown }[]).map(({ loc }) => loc)

    expect(locs).toEqual([['body', 'a', 'b', 0], ['body', 'a', 'b', 1], ['body'], ['body', 'c'], ['body', 'd']])
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${i}${'k'.repeat(600)}`, 1]))
    expect(failureOf(() => enter(JSON.stringify(many))).detail).toHaveLength(50)
    expect(failureOf(() => enter(JSON.stringify({ a: Array(60).fill(2 ** 60) }))).detail).toHaveLength(50)
  })

  test('a key of 512 characters enters, one of 513 does not', () => {
    expect(Object.keys(enter(`{"${'k'.repeat(512)}":1}`))).toHaveLength(1)
    expect(failureOf(() => enter(`{"${'k'.repeat(513)}":1}`)).status).toBe(422)
  })
})

describe('size, type and encoding', () => {
  test('the limit counts bytes, not characters', () => {
    const exact = `{"a":"${'é'.repeat(46)}"}` // 100 bytes

    expect(enter(exact, {}, 100)).toEqual({ a: 'é'.repeat(46) })
    expect(failureOf(() => enter(exact, {}, 99))).toMatchObject({
      status: 413,
      detail: 'The request body exceeds 99 bytes. Send a smaller one.',
    })
  })

  test('size is checked before anything else', () => {
    expect(failureOf(() => enter('{'.repeat(200), { 'content-type': 'text/plain' }, 100)).status).toBe(413)
  })

  test.each([
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
    'application/vnd.acme.v2+json',
    'application/json; charset=utf8',
    'application/json;charset="utf\\-8"',
    'application/json ;\tCharSet=UTF8 ; ',
    'application/json; odata.metadata=minimal; charset=utf-8',
    'application/scim+json; profile="https://example.com/a;b,c=\\"d\\""',
    'application/json;',
  ])('content type %s is read as JSON', (type) => {
    expect(enter('{"a":1}', type === undefined ? {} : { 'content-type': type })).toEqual({ a: 1 })
  })

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json; charset=iso-8859-1',
    'application/json, application/json',
    'application/json; charset=utf-8; charset=iso-8859-1',
    'application/json; charset = utf-8',
    'application/json; charset="utf-8',
    'application/json charset=utf-8',
    'application /json',
    '',
    'application/+json',
    'multipart/form-data; boundary=application/json',
  ])('content type %s is refused with 400', (type) => {
    expect(failureOf(() => enter('{"a":1}', { 'content-type': type }))).toMatchObject({
      status: 400,
      detail: 'The Content-Type is not supported. Send application/json in UTF-8.',
    })
  })

  test.each(['gzip', 'br', 'identity, gzip'])('content encoding %s is refused with 400', (encoding) => {
    expect(failureOf(() => enter('{}', { 'content-encoding': encoding }))).toMatchObject({ status: 400 })
    expect(enter('{}', { 'content-encoding': 'Identity' })).toEqual({})
  })

  test('a byte order mark is skipped, and bytes that are not UTF-8 are refused', () => {
    expect(enter(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"a":1}')]))).toEqual({ a: 1 })
    expect(failureOf(() => enter(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])))).toMatchObject({
      status: 400,
      detail: 'The request body is not valid UTF-8. Encode it as UTF-8.',
    })
    expect(failureOf(() => enter(Buffer.from('{"a":"\ud800"}', 'utf16le'))).status).toBe(400)
  })

  test.each(['', ' \n\t ', '{}'])('the body %j equals an empty object', (body) => {
    expect(enter(body)).toEqual({})
  })

  test.each(['[]', '[{}]', '"text"', '1', 'true', 'null'])('the top level %s is refused with 400', (body) => {
    expect(failureOf(() => enter(body))).toMatchObject({
      status: 400,
      detail: 'The request body is not a JSON object. Send an object.',
    })
  })

  test.each(['{', '{"a":}', '{a:1}', "{'a':1}", '{"a":1,}', '{"a":NaN}', '{"a":01}', '{} {}', '\u0000', '{"a":"\n"}'])(
    'the text %j is refused with 400',
    (body) => {
      expect(failureOf(() => enter(body))).toMatchObject({
        status: 400,
        detail: 'The request body is not valid JSON. Correct its syntax.',
      })
    },
  )
})

describe('JSON from elsewhere, read by the same rules', () => {
  test.each(accepted)('$name is read', ({ json, canonical }) => {
    expect(canonicalJson(parseExact(Buffer.from(json)))).toBe(canonical)
  })

  test.each([...refused.map(({ json }) => json), nested(33), '{', ''])('%j is not read', (json) => {
    expect(parseExact(Buffer.from(json))).toBeUndefined()
  })

  test('it need not be an object', () => {
    expect(parseExact(Buffer.from('[1,"two",null]'))).toEqual([1, 'two', null])
  })
})
