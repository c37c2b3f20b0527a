import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handler as home } from '../../../functions/docs/home.ts'
import { handler as openapi } from '../../../functions/docs/openapi.ts'
import { handler as page } from '../../../functions/docs/page.ts'
import { handler as redoc } from '../../../functions/docs/redoc.ts'
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
  REDOC_FILE: join(folder, 'redoc.standalone.js'),
}

beforeAll(async () => {
  Object.assign(process.env, ENVIRONMENT)
  await writeAsset('openapi.json', ENVIRONMENT.OPENAPI_FILE)
  await writeAsset('redoc.standalone.js', ENVIRONMENT.REDOC_FILE)
})
afterAll(() => rmSync(folder, { recursive: true }))

const ask = (handler: Handler, path: string) =>
  handler({ httpMethod: 'GET', path, resource: path, requestContext: {} }, { getRemainingTimeInMillis: () => 10_000 })

test('GET /, 302: the application host leads to the reference, also below a stage', async () => {
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
    expect(headers['Content-Security-Policy']).toContain("script-src 'self';")
    expect(headers['Content-Security-Policy']).toContain("frame-ancestors 'none'")
  })

  test('200: it holds no inline script and names no other origin', async () => {
    const { body } = await ask(page, docs.page.path)

    expect([...body.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map((match) => match[0])).toEqual([
      '<script src="docs/redoc.js"></script>',
    ])
    expect(body).not.toMatch(/https?:|\bon\w+=|javascript:/)
  })

  test('200: without scripts it says how to authenticate and links the document', async () => {
    const { body } = await ask(page, docs.page.path)

    expect(body).toContain('X-API-Key')
    expect(body).toContain('<a href="openapi.json">')
    expect(body).toContain('<noscript>')
  })

  test('the links of the page lead to the other two, also below a stage', () => {
    const from = `https://app.acme.example/live${docs.page.path}`

    expect(new URL('openapi.json', from).pathname).toBe(`/live${docs.openapi.path}`)
    expect(new URL('docs/redoc.js', from).pathname).toBe(`/live${docs.redoc.path}`)
  })
})

describe('GET /docs/redoc.js', () => {
  test('200: the script as its authors publish it', async () => {
    const { headers, body } = await ask(redoc, docs.redoc.path)

    expect(headers).toMatchObject({
      'Content-Type': 'text/javascript; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
    })
    expect(body).toBe(readFileSync(ENVIRONMENT.REDOC_FILE, 'utf8'))
  })
})
