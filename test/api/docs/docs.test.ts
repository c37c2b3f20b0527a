import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handler as home } from '../../../functions/docs/home.ts'
import { handler as openapi } from '../../../functions/docs/openapi.ts'
import { handler as page } from '../../../functions/docs/page.ts'
import { handler as part } from '../../../functions/docs/part.ts'
import { docs } from '../../../functions/docs/routes.ts'
import { writeAsset } from '../../../infra/bundle/assets.ts'
import type { Handler } from '../../../shared/edge/endpoint.ts'

const folder = mkdtempSync(join(tmpdir(), 'countersign-docs-'))
const ENVIRONMENT = {
  TABLE_NAME: 'untouched',
  AWS_REGION: 'eu-west-1',
  LOG_LEVEL: 'off',
  BASE_URL: 'https://api.acme.example/live',
  APP_URL: 'https://app.acme.example/live',
  OPENAPI_FILE: join(folder, 'openapi.json'),
  DOCS_FILE: join(folder, 'docs.json'),
}

beforeAll(async () => {
  Object.assign(process.env, ENVIRONMENT)
  await writeAsset('openapi.json', ENVIRONMENT.OPENAPI_FILE)
  await writeAsset('docs.json', ENVIRONMENT.DOCS_FILE)
})
afterAll(() => rmSync(folder, { recursive: true }))

const ask = (handler: Handler, path: string, more: object = {}) =>
  handler(
    { httpMethod: 'GET', path, resource: path, requestContext: {}, ...more },
    { getRemainingTimeInMillis: () => 10_000 },
  )

const askPart = (name: string, more: object = {}) =>
  ask(part, docs.part.path, { pathParameters: { page: name }, ...more })

test('GET /, 302: the application host leads to the documentation, also below a stage', async () => {
  expect(await ask(home, docs.home.path)).toMatchObject({
    statusCode: 302,
    headers: { Location: 'https://app.acme.example/live/docs' },
  })
})

describe('GET /openapi.json', () => {
  test('200: the document of the build with the addresses of this deployment', async () => {
    const { statusCode, headers, body } = await ask(openapi, docs.openapi.path)
    const { openapi: version, servers, paths } = JSON.parse(body)

    expect({ statusCode, version }).toEqual({ statusCode: 200, version: '3.1.1' })
    expect(headers['Content-Type']).toBe('application/json; charset=utf-8')
    expect(servers).toMatchObject([{ url: 'https://api.acme.example/live' }])
    expect(paths).toHaveProperty(['/api/v1/protocol/execute', 'post'])
    expect(body).not.toContain('countersign.example')
  })
})

describe('GET /docs', () => {
  test('200: a page that no other origin may frame or add scripts to', async () => {
    const { statusCode, headers } = await ask(page, docs.page.path)

    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({ 'Content-Type': 'text/html; charset=utf-8', 'X-Frame-Options': 'DENY' })
    expect(headers['Content-Security-Policy']?.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      'img-src data:',
      "connect-src 'self' https://api.acme.example",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
  })

  test('304: without a body for a browser that has the page, whose tag the next answer repeats', async () => {
    const first = await ask(page, docs.page.path)
    const multiValueHeaders = { 'If-None-Match': [first.headers.ETag ?? ''] }
    const again = await ask(page, docs.page.path, { multiValueHeaders })

    expect(first.headers).toMatchObject({ ETag: expect.stringMatching(/^W\/"[\w-]{22}"$/) })
    expect(again).toMatchObject({ statusCode: 304, body: '' })
    expect(again.headers).toMatchObject({ ETag: first.headers.ETag, 'Cache-Control': 'public, max-age=300' })
  })
})

describe('GET /docs/{page}', () => {
  test('200: an area of the reference, with the addresses of this deployment', async () => {
    const { statusCode, headers, body } = await askPart('protocol')

    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'public, max-age=300',
    })
    expect(body).toContain('https://api.acme.example/live/api/v1/protocol/execute')
    expect(body).not.toContain('countersign.example')
  })

  test.each([
    ['style.css', 'text/css; charset=utf-8'],
    ['script.js', 'text/javascript; charset=utf-8'],
    ['search.json', 'application/json; charset=utf-8'],
  ])('200: %s has the type %s', async (name, type) => {
    const { statusCode, headers } = await askPart(name)

    expect(statusCode).toBe(200)
    expect(headers).toMatchObject({ 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' })
  })

  test('302: a slash at the end, which the gateways pass over, leads to the address without it', async () => {
    const first = await ask(page, docs.page.path, { path: '/docs/' })
    const other = await askPart('protocol', { path: '/docs/protocol/' })

    expect([first, other]).toMatchObject([
      { statusCode: 302, headers: { Location: 'https://app.acme.example/live/docs' } },
      { statusCode: 302, headers: { Location: 'https://app.acme.example/live/docs/protocol' } },
    ])
    expect((await askPart('nothing', { path: '/docs/nothing/' })).statusCode).toBe(404)
  })

  test.each(['nothing', 'constructor', '__proto__', '..'])('404: %s is no page', async (name) => {
    expect((await askPart(name)).statusCode).toBe(404)
  })
})
