import { describe, expect, test } from 'vitest'
import { conflict, Failure, forbidden, invalid, malformed, notFound } from '../../../../shared/base/lib/failure.ts'
import { badRequest, scimError, uniquenessConflict } from '../../../../shared/identity/scim/refusal.ts'

describe('every failure is answered in the words of RFC 7644', () => {
  test.each<[Failure, number, string | undefined]>([
    [malformed('The request body is not valid JSON.'), 400, 'invalidSyntax'],
    [badRequest('invalidFilter', 'no'), 400, 'invalidFilter'],
    [badRequest('tooMany', 'no'), 400, 'tooMany'],
    [invalid(['userName'], 'field required', 'missing'), 400, 'invalidValue'],
    [new Failure('unauthenticated', 'no'), 401, undefined],
    [forbidden('no'), 403, undefined],
    [notFound('user'), 404, undefined],
    [uniquenessConflict('userName'), 409, 'uniqueness'],
    [conflict('the last owner'), 409, undefined],
    [new Failure('precondition', 'changed'), 412, undefined],
    [new Failure('too_large', 'no'), 413, undefined],
    [new Failure('rate_limited', 'later'), 429, undefined],
    [new Failure('internal', 'no'), 500, undefined],
    [new Failure('not_implemented', 'no'), 501, undefined],
    [new Failure('unavailable', 'later'), 503, undefined],
  ])('as %s', (failure, status, scimType) => {
    const { status: answered, body } = scimError(failure)

    expect(answered).toBe(status)
    expect(body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(scimType && { scimType }),
      detail: failure.message,
    })
  })
})
