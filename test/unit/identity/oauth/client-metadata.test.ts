import { expect, test } from 'vitest'
import type { OAuthClient } from '../../../../shared/identity/oauth/clients/client.ts'
import { metadataOf, registeredFields } from '../../../../shared/identity/oauth/clients/client-metadata.ts'

const client: OAuthClient = {
  client_id: 'cli_1',
  tenant_id: 'ten_1',
  mode: 'live',
  name: 'Reporter',
  type: 'confidential',
  redirect_uris: ['https://client.example/callback'],
  post_logout_redirect_uris: [],
  backchannel_logout_uri: null,
  backchannel_logout_session_required: false,
  grant_types: ['authorization_code', 'refresh_token'],
  scopes: ['openid', 'governance:read'],
  token_endpoint_auth_method: 'client_secret_basic',
  skip_consent: false,
  status: 'active',
  source: 'registration',
  cap: [],
  service: false,
  created_by: 'usr_1',
  seen_by: ['usr_1'],
  registered: JSON.stringify({ client_uri: 'https://client.example', application_type: 'web' }),
  created_at: '2026-11-20T22:00:00.000Z',
  updated_at: '2026-11-20T22:00:00.000Z',
}

test('a client is described as RFC 7591 has it', () => {
  expect(metadataOf(client, 'secret')).toEqual({
    application_type: 'web',
    client_uri: 'https://client.example',
    client_id: 'cli_1',
    client_id_issued_at: 1_795_212_000,
    client_name: 'Reporter',
    client_secret: 'secret',
    client_secret_expires_at: 0,
    redirect_uris: client.redirect_uris,
    post_logout_redirect_uris: [],
    response_types: ['code'],
    grant_types: client.grant_types,
    scope: 'openid governance:read',
    token_endpoint_auth_method: 'client_secret_basic',
    tenant_id: 'ten_1',
    mode: 'live',
    skip_consent: false,
  })
})

test('what is stored of a description gives the same description again, and holds no secret', () => {
  const stored = registeredFields(metadataOf(client, 'secret'))

  expect(metadataOf({ ...client, ...stored }, 'secret')).toEqual(metadataOf(client, 'secret'))
  expect(JSON.stringify(stored)).not.toContain('secret"')
  expect(stored).not.toHaveProperty('tenant_id')
})

test('which kind of application it is follows from all its present addresses', () => {
  const typeOf = (over: Partial<OAuthClient>) => metadataOf({ ...client, ...over }, undefined).application_type

  expect(typeOf({ redirect_uris: ['com.example.app:/callback'] })).toBe('native')
  expect(typeOf({ post_logout_redirect_uris: ['com.example.app:/bye'] })).toBe('native')
})

test('a description cannot make a client more than its fields', () => {
  const stored = registeredFields({ ...metadataOf(client, undefined), status: 'active', cap: ['tenant:kms'] })

  expect(Object.keys(stored)).not.toEqual(expect.arrayContaining(['cap']))
})
