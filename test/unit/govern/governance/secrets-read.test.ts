import { expect, test } from 'vitest'
import { classified } from './make.ts'

test.each([
  'get_secret_value',
  'GetPasswordData',
  'access-keys.get_secret_key',
  'retrieve_credentials_for_identity',
  'get_session_token',
  'GetFederationToken',
  'getAuthorizationToken',
  'fetch_token',
  'get_key_pair',
  'read_private_key',
  'get_upload_url',
  'get_presigned_url',
  'get_connection_string',
  'list_passwords',
  'list_secrets_with_values',
  'view_api_key',
  'get_service_key',
  'get_session_cookie',
  'get_session_id',
  'read_environment_variables',
  'get_card_pan',
  'get_seed_words',
  'get_webhook_signing_secret',
  'get-companies-companyId-apiCredentials-apiCredentialId',
])('%s reads a secret and is held', (name) => {
  expect(classified(name)).toMatchObject({ kind: 'secret_read', tier: 'HARD', floor: 'AUTO', risk: 65 })
})

test.each([
  'list_secrets',
  'vault_list_secrets',
  'get_password_policy',
  'describe_secret_rotation',
  'get_secret_metadata',
  'get_token_price',
  'list_tokens',
  'get_next_page_token',
  'count_tokens',
  'get_api_credentials_allowed_origins',
  'get_credential_schema',
  'get_primary_key',
  'get-sessions-sessionId',
])('%s reads no secret', (name) => {
  expect(classified(name).tier).toBe('AUTO')
})

test('a person who may write policies may declare that what is read is no secret', () => {
  expect(classified('get_token', { kind: 'read', kindIsVouched: true })).toMatchObject({ kind: 'read', tier: 'AUTO' })
  expect(classified('get_token', { kind: 'read' }).tier).toBe('HARD')
})

test('what the action returns is a secret, whatever its name says', () => {
  const returning = (sandbox_response: Record<string, unknown>) => classified('get_profile', { sandbox_response }).kind

  expect(returning({ user: { name: 'Ada', accessToken: 'x' } })).toBe('secret_read')
  expect(returning({ items: [{ connection_string: 'x' }] })).toBe('secret_read')
  expect(returning({ items: [], next_page_token: 'x' })).toBe('read')
})
