import { describe, expect, test } from 'vitest'
import {
  conflict,
  Failure,
  type FailureKind,
  forbidden,
  invalid,
  malformed,
  notFound,
  STATUS_OF,
} from '../../../../shared/base/lib/failure.ts'

test.each([
  ['malformed', 400],
  ['unauthenticated', 401],
  ['forbidden', 403],
  ['not_found', 404],
  ['method_not_allowed', 405],
  ['conflict', 409],
  ['precondition', 412],
  ['too_large', 413],
  ['invalid', 422],
  ['rate_limited', 429],
  ['internal', 500],
  ['not_implemented', 501],
  ['unavailable', 503],
] as [FailureKind, number][])('%s is a %d', (kind, status) => {
  expect(new Failure(kind, 'x').status).toBe(status)
  expect(Object.keys(STATUS_OF)).toHaveLength(13)
})

describe('the ways to make one', () => {
  test('keep kind and text', () => {
    expect(notFound('approval')).toMatchObject({ kind: 'not_found', detail: 'approval not found' })
    expect(conflict('taken', { code: 'already_exists' })).toMatchObject({
      kind: 'conflict',
      options: { code: 'already_exists' },
    })
    expect(forbidden('no')).toMatchObject({ kind: 'forbidden' })
    expect(malformed('what')).toMatchObject({ kind: 'malformed' })
    expect(invalid(['manifest', 'node', 0], 'is odd')).toMatchObject({
      kind: 'invalid',
      detail: [{ loc: ['body', 'manifest', 'node', 0], msg: 'is odd', type: 'value_error' }],
    })
  })

  test('are errors with a readable message and their cause', () => {
    const cause = new Error('first')

    expect(invalid(['a', 'b'], 'is odd')).toMatchObject({ name: 'Failure', message: 'body.a.b: is odd' })
    expect(new Failure('unavailable', 'later', { cause }).cause).toBe(cause)
  })
})
