import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { schemaOf } from '../../../infra/openapi/json-schema.ts'
import { freeForm, optional } from '../../../shared/base/wire/fields.ts'

const shape = z.strictObject({
  name: z.string(),
  note: optional(z.string()),
  count: z
    .int()
    .min(1)
    .max(9)
    .nullish()
    .transform((count) => count ?? 1),
  data: freeForm.nullable(),
})

describe('a request', () => {
  const request = schemaOf(shape, 'input')

  test('may leave out what is optional, and says what then holds', () => {
    expect(request).toMatchObject({
      required: ['name', 'data'],
      properties: { note: { type: 'string' }, count: { type: 'integer', minimum: 1, maximum: 9, default: 1 } },
    })
  })

  test('is closed', () => {
    expect(request).toMatchObject({ additionalProperties: false })
  })
})

describe('a reply', () => {
  const reply = schemaOf(shape, 'output')

  test('always has what a default fills in, and shows no null for what is absent', () => {
    expect(reply).toMatchObject({ required: ['name', 'count', 'data'], properties: { note: { type: 'string' } } })
  })

  test('may grow: it is not closed', () => {
    expect(reply).not.toHaveProperty('additionalProperties')
  })

  test('of a transform that changes its value is refused rather than guessed', () => {
    expect(() => schemaOf(z.object({ at: z.string().transform(Number) }), 'output')).toThrow('has no schema')
  })
})

describe('a custom type', () => {
  test('that takes objects only is an object', () => {
    expect(schemaOf(freeForm, 'output')).toEqual({ type: 'object', additionalProperties: true })
  })

  test('of which nothing is known may be anything', () => {
    expect(
      schemaOf(
        z.custom<string>(() => true),
        'output',
      ),
    ).toEqual({})
  })
})
