import * as z from 'zod'
import { describe, expect, test } from 'vitest'
import { freeForm, optional, plainText } from '../../../shared/base/wire/fields.ts'
import { refuseBody, refuseQuery } from '../../../shared/edge/validate.ts'
import { Failure } from '../../../shared/base/lib/failure.ts'

const Shape = z.strictObject({
  name: plainText(5),
  kind: z.enum(['read', 'write']),
  v: z.literal('1.0'),
  payload: freeForm,
  size: z.union([z.int(), z.literal('all')]),
  steps: z.array(z.strictObject({ id: z.string(), note: optional(z.string()) })),
  more: optional(z.strictObject({ approve: optional(z.boolean()), who: optional(plainText(3)) })),
  labels: optional(z.record(z.string(), z.int())),
})

const whole = { name: 'a', kind: 'read', v: '1.0', payload: {}, size: 1, steps: [] }

function refusalOf(body: object, shape: z.ZodType = Shape): Failure {
  const result = shape.safeParse(body)
  if (result.success) throw new Error('the body was accepted')
  try {
    return refuseBody(result.error.issues, body)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

const without = (name: keyof typeof whole) => {
  const { [name]: _, ...rest } = whole
  return rest
}

describe('missing fields', () => {
  test.each(Object.keys(whole) as (keyof typeof whole)[])('a missing %s is a 400, whatever its type', (name) => {
    expect(refusalOf(without(name))).toMatchObject({
      status: 400,
      detail: `You left out required fields: ${name}. Send them.`,
      options: { code: 'missing_field', errors: [{ loc: ['body', name], msg: 'field required', type: 'missing' }] },
    })
  })

  test('all of them are named at once, also inside lists', () => {
    expect(refusalOf({ ...without('name'), steps: [{ id: 'a' }, {}] })).toMatchObject({
      status: 400,
      detail: 'You left out required fields: name, steps.1.id. Send them.',
    })
  })

  test('they come before every broken rule, however many rules are broken', () => {
    const wrong = Array.from({ length: 60 }, () => ({ id: 1 }))

    expect(refusalOf({ ...without('name'), steps: wrong, zzz: 1 })).toMatchObject({ status: 400 })
    expect(refusalOf({ ...whole, steps: [...wrong, {}] })).toMatchObject({
      status: 400,
      detail: 'You left out required fields: steps.60.id. Send them.',
    })
  })

  test('at most 50 are listed', () => {
    const { options } = refusalOf({ ...whole, steps: Array.from({ length: 60 }, () => ({})) })

    expect(options.errors).toHaveLength(50)
  })

  test('a rule about what is absent keeps its own words', () => {
    const either = z
      .strictObject({ a: optional(z.string()), b: optional(z.string()) })
      .refine(({ a, b }) => (a === undefined) !== (b === undefined), { path: ['a'], error: 'give either a or b' })

    expect(refusalOf({}, either)).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'a'], msg: 'give either a or b', type: 'value_error' }],
    })
  })

  test('null counts as absent where a field is optional, and as a wrong type where it is not', () => {
    expect(Shape.safeParse({ ...whole, more: null, labels: null }).success).toBe(true)
    expect(refusalOf({ ...whole, steps: [{ id: null }] })).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'steps', 0, 'id'], msg: 'must be a string', type: 'type_error' }],
    })
  })
})

describe('broken rules', () => {
  test.each([
    [{ name: 1 }, ['name'], 'must be a string', 'type_error'],
    [{ name: '' }, ['name'], 'too small: expected string to have >=1 characters', 'value_error'],
    [{ name: 'a\u0000' }, ['name'], 'must not hold control characters', 'value_error'],
    [{ kind: 'delete' }, ['kind'], 'invalid option: expected one of "read"|"write"', 'value_error'],
    [{ payload: [] }, ['payload'], 'must be an object', 'type_error'],
    [{ steps: {} }, ['steps'], 'must be an array', 'type_error'],
    [{ steps: [{ id: 'a', note: 3 }] }, ['steps', 0, 'note'], 'must be a string', 'type_error'],
    [{ labels: { a: 1.5 } }, ['labels', 'a'], 'must be an integer', 'type_error'],
    [{ labels: 7 }, ['labels'], 'must be an object', 'type_error'],
    [{ size: 'some' }, ['size'], 'invalid input: expected "all"', 'value_error'],
    [{ more: { approve: 'yes' } }, ['more', 'approve'], 'must be a boolean', 'type_error'],
  ])('%j is a 422 at its place', (change, path, msg, type) => {
    expect(refusalOf({ ...whole, ...change })).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', ...path], msg, type }],
    })
  })

  test('each unknown field has its own entry, at every level', () => {
    const body = { ...whole, tenant_id: 'x', steps: [{ id: 'a', hash: 1 }], more: { aprove: true, tier: 'AUTO' } }

    expect(refusalOf(body).detail).toEqual([
      { loc: ['body', 'steps', 0, 'hash'], msg: 'unknown field', type: 'extra_forbidden' },
      { loc: ['body', 'tenant_id'], msg: 'unknown field', type: 'extra_forbidden' },
      { loc: ['body', 'more', 'aprove'], msg: 'unknown field', type: 'extra_forbidden' },
      { loc: ['body', 'more', 'tier'], msg: 'unknown field', type: 'extra_forbidden' },
    ])
  })

  test('several faults inside an optional object are told where they are', () => {
    expect(refusalOf({ ...whole, more: { approve: 'x', who: 'long', zzz: 1 } }).detail).toMatchObject([
      { loc: ['body', 'more', 'approve'] },
      { loc: ['body', 'more', 'who'] },
      { loc: ['body', 'more', 'zzz'] },
    ])
  })

  test('of several alternatives the one of the right type tells its faults', () => {
    const either = z.strictObject({
      at: z.union([z.null(), z.strictObject({ from: z.int(), to: z.int() }), z.array(z.string())]),
    })

    expect(refusalOf({ at: { from: 'a', to: 'b' } }, either).detail).toEqual([
      { loc: ['body', 'at', 'from'], msg: 'must be a number', type: 'type_error' },
      { loc: ['body', 'at', 'to'], msg: 'must be a number', type: 'type_error' },
    ])
    expect(refusalOf({ at: ['x', 1] }, either).detail).toMatchObject([{ loc: ['body', 'at', 1] }])
  })

  test('they stand in the order of the document', () => {
    const body = {
      zzz: 1,
      size: true,
      steps: [
        { note: 1, id: 2 },
        { x: 1, id: 3 },
      ],
      kind: 0,
      name: 0,
      v: '1.0',
      payload: {},
    }
    const locs = (refusalOf(body).detail as { loc: unknown[] }[]).map(({ loc }) => loc.slice(1).join('.'))

    expect(locs).toEqual(['zzz', 'size', 'steps.0.note', 'steps.0.id', 'steps.1.x', 'steps.1.id', 'kind', 'name'])
  })

  test('at most 50 are listed, and no message repeats what was sent', () => {
    const canary = 'canary-7f3a'
    const body = {
      ...whole,
      name: `${canary}${canary}`,
      kind: canary,
      v: canary,
      size: canary,
      steps: Array.from({ length: 60 }, () => ({ id: 1, note: { canary } })),
      labels: { a: canary },
    }

    expect(refusalOf(body).detail).toHaveLength(50)
    expect(JSON.stringify(refusalOf({ ...body, steps: [{ id: 'a', note: [canary] }] }).detail)).not.toContain(canary)
  })
})

test('a bad query is a 400 that names its parameters once', () => {
  const { error } = z.object({ limit: z.string().regex(/^\d+$/), sort: z.enum(['a']) }).safeParse({ limit: 'canary' })

  expect(() => refuseQuery(error?.issues ?? [])).toThrow(
    expect.objectContaining({
      status: 400,
      detail: 'These query parameters are not valid: limit, sort. Correct or remove them.',
    }),
  )
})
