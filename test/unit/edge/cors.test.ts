import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { corsHeaders, preflightHeaders } from '../../../shared/edge/cors.ts'

beforeEach(() => {
  process.env.APP_URL = 'https://app.example/live'
  delete process.env.CORS_ORIGINS
})
afterEach(() => {
  delete process.env.APP_URL
  delete process.env.CORS_ORIGINS
})

const allowedFor = (origin: string | undefined) => corsHeaders(origin)['Access-Control-Allow-Origin']

describe('allowed origins', () => {
  test('by default the one of the application', () => {
    expect(allowedFor('https://app.example')).toBe('https://app.example')
    expect(corsHeaders('https://evil.example')).toEqual({})
  })

  test.each([
    'https://app.example.evil.example',
    'https://sub.app.example',
    'http://app.example',
    'https://app.example:8443',
    'https://app.example/live',
    'HTTPS://APP.EXAMPLE',
    'null',
    '',
    undefined,
  ])('%s is none of them', (origin) => {
    expect(corsHeaders(origin)).toEqual({})
  })

  test('a list may name several, with or without a path', () => {
    process.env.CORS_ORIGINS = 'https://one.example, https://two.example/path'

    expect(allowedFor('https://one.example')).toBe('https://one.example')
    expect(allowedFor('https://two.example')).toBe('https://two.example')
    expect(allowedFor('https://app.example')).toBeUndefined()
  })

  test('* allows every origin, and never with credentials', () => {
    process.env.CORS_ORIGINS = '*'

    expect(allowedFor('https://any.example')).toBe('https://any.example')
    expect(corsHeaders('https://any.example')).not.toHaveProperty('Access-Control-Allow-Credentials')
    expect(corsHeaders(undefined)).toEqual({})
  })

  test('the answer differs by origin, so caches are told', () => {
    expect(corsHeaders('https://app.example')).toMatchObject({ Vary: 'Origin' })
  })
})

describe('preflight', () => {
  test('names methods and headers, and is kept for ten minutes', () => {
    expect(preflightHeaders('https://app.example', ['GET', 'POST'])).toMatchObject({
      'Access-Control-Allow-Methods': 'GET, POST',
      'Access-Control-Allow-Headers':
        'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Correlation-Id, X-Mode, traceparent',
      'Access-Control-Max-Age': '600',
    })
  })

  test('X-API-Key is not among the headers: keys are for servers', () => {
    const headers = preflightHeaders('https://app.example', ['GET'])

    expect(headers['Access-Control-Allow-Headers']?.toLowerCase()).not.toContain('x-api-key')
  })

  test('an unlisted origin gets no CORS header and no error', () => {
    expect(preflightHeaders('https://evil.example', ['GET'])).toEqual({})
  })
})
