import { describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../../../shared/deliver/integrations/catalogue/catalogue.ts'
import { refusalIn, shownWords } from '../../../../shared/deliver/integrations/oauth/conformed.ts'
import { ODD_REFUSALS, REFUSED_REFRESHES, type RefusedRefresh } from '../../../support/provider-refusals.ts'

const textOf = ({ body }: Pick<RefusedRefresh, 'body'>) => (typeof body === 'string' ? body : JSON.stringify(body))

describe.for(CATALOGUE.map(({ id, oauth }) => [id, oauth] as const))('the token endpoint of %s', ([id, oauth]) => {
  test('has refusals of its own here', () => expect(REFUSED_REFRESHES[id]?.length).toBeGreaterThan(0))

  test.for([...(REFUSED_REFRESHES[id] ?? []), ...ODD_REFUSALS])('refuses with $status $says', (answer) => {
    const { status, says } = answer
    const said = refusalIn({ status, text: textOf(answer) }, oauth)
    expect(said?.code).toBe(says[0])
    if (says[1] !== undefined) expect(shownWords(said?.words ?? '', [])).toBe(says[1])
  })

  test.for(['temporarily_unavailable', ...(oauth.not_now ?? [])])('may be better later after %s', (error) => {
    expect(refusalIn({ status: 400, text: JSON.stringify({ error }) }, oauth)).toBeUndefined()
  })
})

test.for([
  '{"access_token":"a","error":null}',
  'access_token=a&token_type=bearer&scope=repo%2Cgist',
  '{"ok":true,"access_token":"a","error":""}',
])('tokens are no refusal: %s', (text) => expect(refusalIn({ status: 200, text }, {})).toBeUndefined())

test.for(['', '[]', '{}', 'null'])('with a status of success %j is no answer, not a refusal', (text) =>
  expect(refusalIn({ status: 200, text }, {})).toBeUndefined(),
)

test('tokens of a type that cannot be sent are refused, in the provider’s words', () => {
  const text = '{"access_token":"a","token_type":"mac"}'
  expect(refusalIn({ status: 200, text }, {})).toEqual({ code: 'unsupported_token_type', words: 'mac' })
})

test('a page is read no further than its beginning', () => {
  const text = '<script'.repeat(30_000)
  expect(refusalIn({ status: 403, text }, {})?.words?.length).toBeLessThan(5_000)
})

test('words are one short line without the secrets of the request', () => {
  expect(
    shownWords(' the token\r\n refresh-1\u0007 of secret-1 is gone', ['refresh-1', 'secret-1', '', undefined]),
  ).toBe('the token … of … is gone')
  expect(shownWords('x'.repeat(1_000), [])).toHaveLength(300)
})
