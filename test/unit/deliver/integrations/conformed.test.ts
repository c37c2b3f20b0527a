import { describe, expect, test } from 'vitest'
import { conformed, scopesIn } from '../../../../shared/deliver/integrations/oauth/conformed.ts'

const read = (status: number, body: unknown) => {
  const { status: told, text } = conformed({ status, text: typeof body === 'string' ? body : JSON.stringify(body) })
  return { status: told, body: typeof body === 'string' ? text : JSON.parse(text) }
}

describe('an answer of a token endpoint', () => {
  test.for([
    [{ access_token: 'a', token_type: 'bot' }, { token_type: 'bearer' }],
    [{ access_token: 'a', token_type: 'user' }, { token_type: 'bearer' }],
    [{ access_token: 'a' }, { token_type: 'bearer' }],
    [{ access_token: 'a', scope: ['read', 'write'] }, { scope: 'read write' }],
    [{ access_token: 'a', expires_in: '3600' }, { expires_in: 3_600 }],
  ])('%j becomes %j', ([body, expected]) => {
    expect(read(201, body)).toMatchObject({ status: 200, body: expected })
  })

  test.for([
    { refresh_token: null },
    { refresh_token: '' },
    { id_token: 'x' },
    { expires_in: 0 },
    { expires_in: 'soon' },
  ])('%j is dropped', (extra) => {
    expect(read(200, { access_token: 'a', ...extra }).body).toEqual({ access_token: 'a', token_type: 'bearer' })
  })

  test.for([
    [200, { error: 'bad_verification_code' }, 400, 'bad_verification_code'],
    [200, { ok: false, error: 'invalid_code' }, 400, 'invalid_code'],
    [200, { ok: false }, 400, 'server_error'],
    [400, { code: 'BAD_AUTH_CODE', message: 'no' }, 400, 'BAD_AUTH_CODE'],
    [401, { error: 'invalid_client' }, 401, 'invalid_client'],
    [400, { message: 'no' }, 400, 'server_error'],
  ] as const)('%i %j is the error %i %s', ([status, body, expected, error]) => {
    expect(read(status, body)).toMatchObject({ status: expected, body: { error } })
  })

  test('that is no JSON object is left as it is', () => {
    for (const text of ['', 'oops', '[]', '"a"', 'null']) expect(read(200, text)).toEqual({ status: 200, body: text })
  })
})

test('granted scopes are separated by spaces or commas; without them, all were granted', () => {
  expect(scopesIn('repo,read:org', [])).toEqual(['repo', 'read:org'])
  expect(scopesIn('a  b a', [])).toEqual(['a', 'b'])
  expect(scopesIn('', ['a'])).toEqual([])
  expect(scopesIn(undefined, ['a'])).toEqual(['a'])
})
