// Without a domain of its own a host of API Gateway serves below a stage, which its events do not show. The handlers are
// called with such events here, since the local hosts have no stage.
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { handler as authorize } from '../../../functions/oauth/authorize.ts'
import { handler as interaction } from '../../../functions/oauth/interaction.ts'
import { handler as discovery } from '../../../functions/oauth/openid-configuration.ts'
import { handler as resume } from '../../../functions/oauth/resume.ts'
import { handler as submit } from '../../../functions/oauth/submit-interaction.ts'
import type { Handler } from '../../../shared/edge/endpoint.ts'
import { PASSWORD, type TestTenant } from '../../support/local-stack.ts'
import { CALLBACK, CODE_CLIENT, followClock, newClient } from '../../support/oauth.ts'
import { hiddenFields } from '../../support/browser.ts'
import { ownerInPerson } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const APP = 'https://abc.execute-api.eu-west-1.amazonaws.com/live'

const local = useLocalStack()
let acme: TestTenant
let before: string | undefined

beforeAll(async () => {
  followClock(local)
  acme = await local.tenant()
  before = process.env.APP_URL
  process.env.APP_URL = APP
})
afterAll(async () => {
  process.env.APP_URL = before
  vi.restoreAllMocks()
})

type Ask = { path: string; query?: Record<string, string>; cookies?: string[]; form?: Record<string, string> }

async function ask(handler: Handler, { path, query = {}, cookies = [], form }: Ask) {
  const headers = {
    Host: ['somewhere.example'],
    Cookie: cookies.filter((line) => !/expires=Thu, 01 Jan 1970/.test(line)).map((line) => line.split(';')[0] ?? ''),
    ...(form && { 'Content-Type': ['application/x-www-form-urlencoded'] }),
  }
  const answer = await handler(
    {
      httpMethod: form ? 'POST' : 'GET',
      path,
      resource: path,
      multiValueHeaders: headers,
      multiValueQueryStringParameters: Object.fromEntries(
        Object.entries(query).map(([name, value]) => [name, [value]]),
      ),
      body: form ? new URLSearchParams(form).toString() : null,
      requestContext: { identity: { sourceIp: '127.0.0.1' } },
    },
    {},
  )
  return { ...answer, cookies: answer.multiValueHeaders?.['Set-Cookie'] ?? [], location: answer.headers.Location ?? '' }
}

/** The path of an event for an address below the stage. */
const below = (address: string) => {
  expect(address).toMatch(new RegExp(`^${APP}/`))
  return address.slice(APP.length)
}

test('every address that the server names lies below the stage', async () => {
  const { body } = await ask(discovery, { path: '/.well-known/openid-configuration' })
  const { issuer, ...document } = JSON.parse(body)
  const addresses = Object.entries(document).filter(([name]) => name.endsWith('_endpoint') || name === 'jwks_uri')

  expect(issuer).toBe(APP)
  for (const [name, address] of addresses) expect(address, name).toMatch(new RegExp(`^${APP}/`))
})

test('a sign-in goes all its way below the stage, with cookies that a browser sends there', async () => {
  const { client_id } = await newClient(await ownerInPerson(local, acme), { ...CODE_CLIENT, skip_consent: true })
  const query = {
    client_id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }

  const begun = await ask(authorize, { path: '/oauth/authorize', query })
  const page = await ask(interaction, { path: below(begun.location), cookies: begun.cookies })
  const form = { ...hiddenFields(page.body), step: 'password', email: acme.owner.email, password: PASSWORD }
  const sent = await ask(submit, { path: below(begun.location), cookies: begun.cookies, form })
  const known = await ask(resume, { path: below(sent.location), cookies: begun.cookies })
  const agreed = await ask(interaction, { path: below(known.location), cookies: known.cookies })
  const ended = await ask(resume, { path: below(agreed.location), cookies: known.cookies })

  const paths = begun.cookies.map((line) => /path=([^;]*)/.exec(line)?.[1])
  expect(paths).toContain(new URL(begun.location).pathname)
  expect(paths.every((path) => path?.startsWith('/live/oauth/'))).toBe(true)
  for (const line of begun.cookies) expect(line).toMatch(/; secure/i)
  expect(sent.location).toMatch(new RegExp(`^${APP}/oauth/authorize/`))
  expect(ended.location).toMatch(/^https:\/\/client\.example\/callback\?code=/)
  expect(ended.location).toContain(`iss=${encodeURIComponent(APP)}`)
})
