import { describe, expect, test } from 'vitest'
import {
  applicationType,
  clientRedirectUriProblem,
  originOf,
  redirectUriProblem,
} from '../../../../shared/base/lib/redirect-uri.ts'

describe('an address for codes', () => {
  test.each([
    'https://client.example/callback',
    'https://client.example:8443/callback?tenant=1',
    'http://localhost:3000/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:8080/',
    'com.example.app:/callback',
  ])('%s may be registered', (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined()
  })

  test.each([
    'http://client.example/callback',
    'http://localhost.evil.example/callback',
    'http://127.0.0.2/callback',
    'https://client.example/callback#fragment',
    'https://client.example/callback#',
    'https://*.client.example/',
    'https://client.example/*',
    'https://user@client.example/',
    'https://client.example\\@evil.example/',
    ' https://client.example/',
    'https://client.example/\n',
    'myapp:/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback/',
    'cursor://another.extension/oauth/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    '/callback',
    '',
  ])('%j may not be registered', (uri) => {
    expect(redirectUriProblem(uri)).toEqual(expect.any(String))
  })
})

test.each([
  ['cursor://anysphere.cursor-mcp/oauth/callback', true],
  ['cursor://anysphere.cursor-mcp/oauth/callback/', false],
  ['cursor://another.extension/oauth/callback', false],
  ['myapp:/callback', false],
])('%s may be registered for a client of OAuth: %s', (uri, may) => {
  expect(clientRedirectUriProblem(uri) === undefined).toBe(may)
})

test('a client is native as soon as one of its addresses is on the device', () => {
  expect(applicationType(['https://a.example/'])).toBe('web')
  expect(applicationType(['https://a.example/', 'http://localhost/'])).toBe('native')
  expect(applicationType(['com.example.app:/x'])).toBe('native')
})

test('what may receive an answer is an origin, or a scheme that has none', () => {
  expect(originOf('https://client.example/callback?x=1')).toBe('https://client.example')
  expect(originOf('com.example.app:/callback')).toBe('com.example.app:')
})
