import { describe, expect, test } from 'vitest'
import { payloadCheck, payloadChecks, schemaViolations } from '../../../../shared/govern/manifests/payload-check.ts'

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2 },
    tags: { type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true },
    'a/b': { type: 'object', additionalProperties: false },
  },
  required: ['name'],
}
const violations = (payload: unknown) =>
  payloadCheck(SCHEMA)(payload).map(({ loc, msg, type }) => `${loc.join('.')}: ${msg} (${type})`)

test('a payload that fits has no violation', () => {
  expect(violations({ name: 'Ann', tags: ['a', 'b'], 'a/b': {}, more: 1 })).toEqual([])
})

test.each([
  [{}, 'body.payload.name: field required (missing)'],
  [{ name: 5 }, 'body.payload.name: must be string (type_error)'],
  [{ name: 'A' }, 'body.payload.name: must NOT have fewer than 2 characters (value_error)'],
  [
    { name: 'Ann', tags: ['a', 'SECRET'] },
    'body.payload.tags.1: must be equal to one of the allowed values (value_error)',
  ],
  [{ name: 'Ann', 'a/b': { c: 1 } }, 'body.payload.a/b.c: unknown field (extra_forbidden)'],
  [[], 'body.payload: must be object (type_error)'],
])('%j is refused: %s', (payload, violation) => {
  expect(violations(payload)).toEqual([violation])
})

test('places in lists are numbers, names of members stay text', () => {
  const check = payloadCheck({ properties: { 0: { items: { type: 'number' } } } })

  expect(check({ 0: [1, 'x'] })[0]?.loc).toEqual(['body', 'payload', '0', 1])
})

test('inherited members do not count as given', () => {
  expect(payloadCheck({ required: ['constructor'] })({})).toHaveLength(1)
})

describe('multipleOf divides decimals exactly', () => {
  test.each([
    [0.01, 19.99, true],
    [0.01, 19.999, false],
    [0.1, 0.3, true],
    [1e-7, 3e-7, true],
    [1e-7, 3.5e-7, false],
    [0.01, -4.35, true],
    [3, 9, true],
    [3, 10, false],
    [5, 1e300, true],
    [7, 0, true],
    [1e300, 1e-300, false],
  ])('%d: %d', (multipleOf, value, fits) => {
    expect(payloadCheck({ multipleOf })(value)).toHaveLength(fits ? 0 : 1)
  })

  test('and says which', () => {
    expect(payloadCheck({ multipleOf: 0.01 })(0.005)).toMatchObject([{ msg: 'must be multiple of 0.01' }])
  })
})

describe('uniqueItems', () => {
  const check = payloadCheck({ uniqueItems: true })

  test.each([
    [[1, 2, '1'], 0],
    [
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      1,
    ],
    [[[], []], 1],
    [[0, false, null, ''], 0],
    ['not a list', 0],
  ])('of %j finds %i violations', (payload, count) => {
    expect(check(payload)).toHaveLength(count)
  })

  test('may be switched off', () => {
    expect(payloadCheck({ uniqueItems: false })([1, 1])).toEqual([])
  })
})

test('formats and unknown keywords are annotations', () => {
  expect(payloadCheck({ format: 'email', 'x-note': 1 })('no address')).toEqual([])
})

describe('a schema', () => {
  const loc = ['body', 'manifest']

  test('that is valid has no violation', () => {
    expect(schemaViolations(SCHEMA, loc)).toEqual([])
  })

  test.each([
    [{ type: 'text' }, ['type']],
    [{ properties: { a: { minLength: -1 } } }, ['properties', 'a', 'minLength']],
    [{ items: [{}] }, ['items']],
    [{ required: 'name' }, ['required']],
  ])('%j is refused at %j', (schema, place) => {
    expect(schemaViolations(schema, loc)).toEqual([
      expect.objectContaining({ loc: [...loc, ...place], type: 'value_error' }),
    ])
  })

  test('that cannot be compiled is refused as a whole', () => {
    expect(schemaViolations({ $ref: '#/$defs/missing' }, loc)).toEqual([
      { loc, msg: 'is not a usable JSON schema', type: 'value_error' },
    ])
  })
})

describe('kept checks', () => {
  test('are compiled once per key, and the least recently used one is forgotten', () => {
    const checks = payloadChecks(2)
    const [a, b] = [checks('a', {}), checks('b', {})]

    expect(checks('a', {})).toBe(a)
    checks('c', {})
    expect(checks('a', {})).toBe(a)
    expect(checks('b', {})).not.toBe(b)
  })
})
