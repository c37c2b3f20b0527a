// The OAuth server as it is deployed: bundled and minified, against the stand-ins. The library depends on names that
// minifying would take away.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, ENTRIES } from '../../../infra/bundle/bundle.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import type { Handler } from '../../../shared/edge/endpoint.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { CALLBACK, MACHINE, CODE_CLIENT, newClient } from '../../support/oauth.ts'
import { claimsOf } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { type Bundled, bundleAll } from '../support/closures.ts'

const local = useLocalStack({ embedded: true }) // a bundle holds clients of its own, out of reach of the in-memory table
let acme: TestTenant
let bundled: Bundled

beforeAll(async () => {
  const ids: string[] = [oauth.token.id, oauth.authorize.id]
  bundled = await bundleAll(ENTRIES.filter(({ id }) => ids.includes(id)))
  acme = await local.tenant()
})
afterAll(() => bundled.remove())

async function deployed(id: string): Promise<Handler> {
  const entry = ENTRIES.find((one) => one.id === id)
  if (!entry) throw new Error(`no function ${id}`)
  const { handler } = await import(pathToFileURL(join(codeOf(entry, bundled.dist), 'index.mjs')).href)
  return handler
}

const requestContext = { identity: { sourceIp: '127.0.0.1' } }

test('gives tokens', async () => {
  const { client_id, client_secret = '' } = await newClient(acme, MACHINE)
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString()
  const handler = await deployed(oauth.token.id)

  const headers = { 'Content-Type': ['application/x-www-form-urlencoded'] }
  const path = oauth.token.path
  const answer = await handler(
    { httpMethod: 'POST', path, resource: path, multiValueHeaders: headers, body, requestContext },
    {},
  )

  expect(answer.statusCode, answer.body).toBe(200)
  expect(claimsOf(JSON.parse(answer.body).access_token)).toMatchObject({ sub: client_id, aud: local.apiUrl })
})

test('begins a sign-in, which it can store and find again', async () => {
  const { client_id } = await newClient(acme, CODE_CLIENT)
  const code_challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
  const query = {
    client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid',
    code_challenge,
    code_challenge_method: 'S256',
  }
  const handler = await deployed(oauth.authorize.id)

  const multiValueQueryStringParameters = Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, [value]]),
  )
  const path = oauth.authorize.path
  const answer = await handler(
    { httpMethod: 'GET', path, resource: path, multiValueQueryStringParameters, requestContext },
    {},
  )

  expect(answer.statusCode, answer.body).toBe(303)
  expect(answer.headers.Location).toMatch(new RegExp(`^${local.appUrl}/oauth/interaction/`))
})
