import { describe, expect, test } from 'vitest'
import { nextVersion, type Actions } from '../../../../../shared/deliver/integrations/openapi/next-version.ts'

const action = (action_id: string, input_schema: object = {}, rest: object = {}): Actions[number] => ({
  action_id,
  input_schema: { ...input_schema },
  ...rest,
})
const versionOf = (was: Actions, is: Actions) => nextVersion({ version: '1.4.2', endpoints: was }, is)
const a = action('a')
const b = action('b')

describe('the next version of a node', () => {
  test('begins at 1.0.0, and stays where nothing changed', () => {
    expect(nextVersion(undefined, [a])).toBe('1.0.0')
    expect(versionOf([a], [{ ...a }])).toBeUndefined()
  })

  test.for([
    ['an action gone', [a, b], [a], '2.0.0'],
    ['one gone, one added', [a], [b], '2.0.0'],
    ['an action added', [a], [a, b], '1.5.0'],
    ['a tier higher', [a], [action('a', {}, { min_tier: 'SOFT' })], '2.0.0'],
    ['approval asked for', [a], [action('a', {}, { approval_required: true })], '2.0.0'],
    ['a tier lower', [action('a', {}, { min_tier: 'HARD' })], [a], '1.4.3'],
    ['another description', [a], [action('a', {}, { description: 'x' })], '1.4.3'],
  ] as const)('%s', ([, was, is, version]) => {
    expect(versionOf(was, is)).toBe(version)
  })

  const closed = (properties: object, required: string[] = []) => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  })
  test.for([
    ['a member required', closed({ a: {} }), closed({ a: {} }, ['a']), '2.0.0'],
    ['a member no longer required', closed({ a: {} }, ['a']), closed({ a: {} }), '1.4.3'],
    ['an optional member more', closed({}), closed({ a: {} }), '1.4.3'],
    ['a member gone', closed({ a: {} }), closed({}), '2.0.0'],
    ['a member gone where any is taken', { properties: { a: {} } }, {}, '1.4.3'],
    ['a named member where any was taken', {}, { properties: { a: { type: 'string' } } }, '2.0.0'],
    ['closed', { type: 'object' }, closed({}), '2.0.0'],
    ['a type gone', { type: ['string', 'null'] }, { type: 'string' }, '2.0.0'],
    ['a type more', { type: 'integer' }, { type: ['number', 'null'] }, '1.4.3'],
    ['any type before', {}, { type: 'string' }, '2.0.0'],
    ['a value gone', { enum: ['a', 'b'] }, { enum: ['a'] }, '2.0.0'],
    ['a value more', { enum: ['a'] }, { enum: ['a', 'b'] }, '1.4.3'],
    ['a lower maximum', { maximum: 5 }, { maximum: 4 }, '2.0.0'],
    ['a higher maximum', { maxLength: 5 }, { maxLength: 6 }, '1.4.3'],
    ['a first minimum', {}, { minimum: 0 }, '2.0.0'],
    ['no minimum any more', { minItems: 1 }, {}, '1.4.3'],
    ['narrower items', { items: {} }, { items: { maxLength: 1 } }, '2.0.0'],
    ['other values of a map', { additionalProperties: {} }, { additionalProperties: { type: 'string' } }, '2.0.0'],
    [
      'deep inside',
      closed({ a: closed({ b: { type: 'string' } }) }),
      closed({ a: closed({ b: { type: 'integer' } }) }),
      '2.0.0',
    ],
    ['only told', { description: 'a' }, { description: 'b' }, '1.4.3'],
    ['other alternatives', { anyOf: [{ type: 'string' }] }, { anyOf: [{ type: 'integer' }] }, '2.0.0'],
  ] as const)('%s', ([, was, is, version]) => {
    expect(versionOf([action('a', was)], [action('a', is)])).toBe(version)
  })
})
