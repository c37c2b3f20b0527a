import { describe, expect, test } from 'vitest'
import { withoutDescriptions } from '../../../infra/bundle/descriptions.ts'

const bare = (source: string) => withoutDescriptions(source, 'shape.ts')

describe('withoutDescriptions', () => {
  test('leaves the schema that is described, however its text is quoted and broken into lines', () => {
    expect(bare(`a: z.string().describe('One (1) \\'thing\\'.'),`)).toBe('a: z.string(),')
    expect(bare('a: z.string().describe("It’s \'one\'."),')).toBe('a: z.string(),')
    expect(bare('a: z.string().describe(`One`).optional(),')).toBe('a: z.string().optional(),')
    expect(bare(`a: z\n  .int()\n  .min(1)\n  .describe(\n    'How many, in all.',\n  ),`)).toBe(
      'a: z\n  .int()\n  .min(1),',
    )
  })

  test('takes out an example, and leaves whatever else a shape says', () => {
    expect(bare(`a: z.string().describe('When.').meta({ examples: ['2026'] }),`)).toBe('a: z.string(),')
    expect(bare(`a: z.string().meta({ enum: ['x'] }),`)).toBe(`a: z.string().meta({ enum: ['x'] }),`)
  })

  test('leaves calls of functions with that name', () => {
    expect(bare(`({ ...describe(error) })`)).toBe(`({ ...describe(error) })`)
  })

  test.each(['.describe(TEXT)', '.describe(`One of ${all}.`)', `.describe('One ' + 'thing.')`, '.meta({ examples })'])(
    'refuses %s, which would stay in the function',
    (call) => {
      expect(() => bare(`a: z.string()${call},`)).toThrow('shape.ts: a description')
    },
  )
})
