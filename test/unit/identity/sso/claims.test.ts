import { describe, expect, test } from 'vitest'
import { personOf } from '../../../../shared/identity/sso/oidc/attributes.ts'
import type { SsoConfiguration } from '../../../../shared/identity/sso/settings/configuration.ts'

const sso: SsoConfiguration = {
  tenant_id: 'ten_1',
  protocol: 'oidc',
  enabled: true,
  enforce: false,
  domains: ['acme.example'],
  jit: true,
  default_roles: ['member'],
  role_mappings: [],
  roles_authoritative: false,
  trust_idp_mfa: true,
  login_redirect_uris: [],
  attribute_map: {},
  sp: { certificate: '', private_key: '' },
  created_at: '2026-11-20T22:00:00.000Z',
  updated_at: '2026-11-20T22:00:00.000Z',
}
const claims = { iss: 'https://idp.example', sub: 's-1', email: 'anna@acme.example' }

describe('the person of an ID token', () => {
  test('is named by subject and address', () => {
    expect(personOf({ ...claims, name: 'Anna\u0000 E.' }, sso)).toMatchObject({
      email: 'anna@acme.example',
      name: 'Anna E.',
      subject: { issuer: 'https://idp.example', sub: 's-1' },
      mfa: false,
      amr: ['sso'],
    })
  })

  test.each([
    [{ given_name: 'Anna', family_name: 'Example' }, {}, 'Anna Example'],
    [{ name: 'Anna', nick: 'Annie' }, { name: 'nick' }, 'Annie'],
    [{}, {}, undefined],
    [{ name: 7 }, {}, undefined],
    [{ name: `${'x'.repeat(119)}😀` }, {}, `${'x'.repeat(119)}\ufffd`],
    [{ name: 'A\ud83d' }, {}, 'A\ufffd'],
  ])('of %j is called as the configuration %j says: %s', (sent, attribute_map, name) => {
    expect(personOf({ ...claims, ...sent }, { ...sso, attribute_map }).name).toBe(name)
  })

  test.each([
    [['pwd'], false],
    [['pwd', 'otp'], true],
    [['mfa'], true],
    [['hwk'], true],
    [['swk'], true],
    ['mfa', false],
    [[7, 'mfa'], true],
  ])('with the methods %j has shown a second factor: %s', (amr, mfa) => {
    expect(personOf({ ...claims, amr }, sso).mfa).toBe(mfa)
  })

  test('keeps no method that is no word, and not many', () => {
    const amr = ['<x>', 'a'.repeat(30), ...Array.from({ length: 20 }, (_, n) => `m${n}`)]

    expect(personOf({ ...claims, amr }, sso).amr).toEqual(['sso', 'm0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'])
  })

  test.each([
    ['no address', { email: undefined }],
    ['an unverified address', { email_verified: false }],
    ['an address that is unverified as text', { email_verified: 'false' }],
    ['another organisation', { hd: 'other.example' }],
    ['an organisation that is no text', { hd: true }],
    ['a consumer account of a provider that has both', { iss: 'https://accounts.google.com' }],
  ])('is refused with %s', (_, change) => {
    expect(() => personOf({ ...claims, ...change }, sso)).toThrow(expect.objectContaining({ kind: 'forbidden' }))
  })

  test('of a provider with consumers is let in by the domain of its organisation', () => {
    const { email } = personOf({ ...claims, iss: 'https://accounts.google.com', hd: 'Acme.example' }, sso)

    expect(email).toBe('anna@acme.example')
  })
})
