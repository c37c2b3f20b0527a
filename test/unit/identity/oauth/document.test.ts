import { describe, expect, test } from 'vitest'
import { isDocumentUrl } from '../../../../shared/identity/artefacts/artefact.ts'
import { readDocument } from '../../../../shared/identity/oauth/clients/document-client.ts'

const url = 'https://agents.example/oauth/client.json'
const document = (over: object = {}) =>
  JSON.stringify({ client_id: url, client_name: 'Agent', redirect_uris: ['https://agents.example/callback'], ...over })

describe('the id of a client', () => {
  test('is the address of a document when it is https with a path', () => {
    expect(isDocumentUrl(url)).toBe(true)
    expect(isDocumentUrl('https://agents.example:8443/c?v=1')).toBe(true)
  })

  test.each([
    'http://agents.example/c',
    'https://agents.example',
    'https://agents.example/',
    'https://agents.example/a/../c',
    'https://agents.example/a/%2e%2e/c',
    'https://agents.example/c#part',
    'https://you@agents.example/c',
    'https://AGENTS.example/c',
    'https://agents.example:443/c',
    `https://agents.example/${'c'.repeat(500)}`,
    'cli_01JD3Q8Z5N5K7N9Q1S3V5X7Z9B',
    '',
  ])('is none when it is %s', (id) => {
    expect(isDocumentUrl(id)).toBe(false)
  })
})

describe('a document', () => {
  test('gives name and redirect URIs, and nothing else that it says', () => {
    const claims = { tenant_id: 'ten_victim', mode: 'test', skip_consent: true, agent_id: 'agt_1', scope: 'admin' }

    expect(readDocument(url, document(claims))).toEqual({
      name: 'Agent',
      redirect_uris: ['https://agents.example/callback'],
    })
  })

  test('without a name is called by its host', () => {
    expect(readDocument(url, document({ client_name: undefined }))?.name).toBe('agents.example')
  })

  test.each([
    ['is about another client', document({ client_id: 'https://agents.example/other.json' })],
    ['is no JSON', '<html>'],
    ['is no object', '[]'],
    ['has no redirect URIs', document({ redirect_uris: [] })],
    ['has a redirect URI that others could receive', document({ redirect_uris: ['http://agents.example/callback'] })],
    ['has a secret', document({ client_secret: 'x' })],
    ['wants to authenticate by a secret', document({ token_endpoint_auth_method: 'client_secret_basic' })],
  ])('that %s is refused', (_, text) => {
    expect(readDocument(url, text)).toBeUndefined()
  })
})
