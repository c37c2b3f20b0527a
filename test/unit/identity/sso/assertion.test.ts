import { describe, expect, test } from 'vitest'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { readAssertion } from '../../../../shared/identity/sso/saml/assertion.ts'
import { assertion, good, IDP, restriction, type Said } from '../../../api/sso/forged.ts'

const NOW = Date.parse('2026-11-22T10:00:00Z')
const SECOND = 1_000
const MINUTE = 60 * SECOND
const basis = { audience: 'https://sp.example', recipient: 'https://sp.example/acs', name_id: 'anna@acme.example' }
const expected = { idp_entity_id: IDP, entity_id: basis.audience, acs: basis.recipient, attribute_map: {}, now: NOW }

const read = (change: Partial<Said>, over: object = {}) => {
  const said = { ...good({ ...basis, now: NOW, in_response_to: '_request' }), ...change }
  return readAssertion(assertion(said), { ...expected, in_response_to: '_request', ...over })
}
const at = (ms: number) => iso(NOW + ms)

describe('a minute of difference between the clocks is borne, and no more', () => {
  test.each<[string, Partial<Said>, Partial<Said>]>([
    ['not before', { not_before: at(MINUTE) }, { not_before: at(MINUTE + 1) }],
    ['not on or after', { not_on_or_after: at(-MINUTE + 1) }, { not_on_or_after: at(-MINUTE) }],
    ['confirmed until', { confirmed_until: at(-MINUTE + 1) }, { confirmed_until: at(-MINUTE) }],
    ['issued to come', { issued: at(MINUTE) }, { issued: at(MINUTE + 1) }],
    ['issued ten minutes ago', { issued: at(-11 * MINUTE + 1) }, { issued: at(-11 * MINUTE) }],
    ['the end of the session', { session_end: at(1) }, { session_end: at(0) }],
  ])('in the time %s', (_, accepted, refused) => {
    expect(read(accepted).name_id).toBe(basis.name_id)
    expect(() => read(refused)).toThrow(expect.objectContaining({ kind: 'unauthenticated' }))
  })
})

test.each(['2026-11-22T10:00:00', '2026-11-22T12:00:00+02:00', 'now', ''])('%s is no time', (issued) => {
  expect(() => read({ issued })).toThrow(expect.objectContaining({ kind: 'unauthenticated' }))
})

describe('conditions', () => {
  const refused = (because: string) => expect.objectContaining({ because })

  test('each audience restriction must allow us, by any of its names', () => {
    expect(read({ conditions: restriction('https://a.example', basis.audience) }).name_id).toBe(basis.name_id)
    expect(() => read({ conditions: restriction('https://a.example') })).toThrow(refused('audience'))
    expect(() => read({ audience: 'https://a.example', conditions: restriction(basis.audience) })).toThrow(
      refused('audience'),
    )
    expect(() => read({ conditions: restriction() })).toThrow(refused('audience'))
  })

  test('those of the standard are met, and an unknown one is not guessed', () => {
    const known = '<saml:OneTimeUse></saml:OneTimeUse><saml:ProxyRestriction Count="0"></saml:ProxyRestriction>'

    expect(read({ conditions: known }).name_id).toBe(basis.name_id)
    expect(() => read({ conditions: '<saml:Condition></saml:Condition>' })).toThrow(refused('message'))
    expect(() => read({ conditions: '<x:OneTimeUse xmlns:x="urn:x"></x:OneTimeUse>' })).toThrow(refused('message'))
  })
})

test('an assertion is remembered for as long as any of its confirmations counts', () => {
  const said = good({ ...basis, now: NOW, in_response_to: '_request' })
  const first = /<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/.exec(assertion(said))?.[0] ?? ''
  const later = first.replace(said.confirmed_until, at(9 * MINUTE))
  const xml = assertion(said).replace(first, first + later)

  expect(readAssertion(xml, { ...expected, in_response_to: '_request' }).not_on_or_after).toBe(NOW + 9 * MINUTE)
})
