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
])('%s reads no secret', (name) => {
  expect(classified(name).tier).toBe('AUTO')
})

test('a person who may write policies may declare that what is read is no secret', () => {
  expect(classified('get_token', { kind: 'read', kindIsVouched: true })).toMatchObject({ kind: 'read', tier: 'AUTO' })
  expect(classified('get_token', { kind: 'read' }).tier).toBe('HARD')
})
