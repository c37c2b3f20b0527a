import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Registry, schemaOf, schemasOf } from '../../../infra/openapi/json-schema.ts'
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

  test('keeps the words of a member, whatever the member leaves out', () => {
    const described = z.object({ note: optional(z.string()).describe('A note.'), name: z.string().describe('A name.') })

    expect(schemaOf(described, 'input')).toMatchObject({
      properties: { note: { description: 'A note.' }, name: { description: 'A name.' } },
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

describe('a named shape', () => {
  test('is told by its name where a member has its own words for it', () => {
    const Thing = z.object({ id: z.string() })
    const registry: Registry = z.registry()
    registry.add(Thing, { id: 'Thing' })
    registry.add(z.object({ made: Thing.describe('What was made.') }), { id: 'Reply' })

    expect(schemasOf(registry, 'output', (id) => id).Reply).toMatchObject({
      properties: { made: { $ref: 'Thing', description: 'What was made.' } },
    })
    expect(schemasOf(registry, 'output', (id) => id)).not.toHaveProperty('Reply.properties.made.required')
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
