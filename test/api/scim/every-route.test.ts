// What holds for every SCIM route, as test/api/every-endpoint/ has it for the others: here errors have another form.
import { beforeAll, describe, expect, test } from 'vitest'
import { scim } from '../../../functions/scim/routes.ts'
import { permissionsOfScopes, SCOPES } from '../../../shared/base/catalog/permissions.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { PLAN_FACTS } from '../../../shared/base/limits/plans.ts'
import { takeOne } from '../../../shared/base/limits/window.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { type AnyCall, anyRoute, hasBody, variablesOf } from '../../support/any-route.ts'
import type { Reply } from '../../support/call.ts'
import { faults } from '../../support/faults.ts'
import { send } from '../../support/http.ts'
import { makeKey, UNKNOWN_KEY } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const database = faults()

const local = useLocalStack({ plugins: [database.plugin] })
let acme: TestTenant
let call: AnyCall
let bad: [string, Record<string, string>][]

beforeAll(async () => {
  acme = await local.tenant()
  call = anyRoute(local.call)
  const now = iso(local.clock.now())
  bad = [
    ['none', {}],
    ['malformed', { authorization: 'Bearer something' }],
    ['unknown', { 'x-api-key': UNKNOWN_KEY }],
    ['expired', { authorization: `Bearer ${await makeKey(acme, { expires_at: now })}` }],
    ['revoked', { authorization: `Bearer ${await makeKey(acme, { revoked_at: now })}` }],
  ]
})

const named = (list: readonly Route[]) => list.map((route) => [`${route.method} ${route.path}`, route] as const)
const all: Route[] = Object.values(scim)

/** A SCIM error of this status and nothing else. */
function mustBeScimError({ status, headers, body }: Reply, expected: number): void {
  expect({ status, type: headers['content-type'] }).toEqual({
    status: expected,
    type: 'application/scim+json; charset=utf-8',
  })
  expect(body).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(expected),
    detail: expect.any(String),
    ...('scimType' in body && { scimType: expect.stringMatching(/^[a-zA-Z]+$/) }),
  })
}

describe.each(named(all))('%s', (_, route) => {
  test('401: every bad credential is refused in SCIM’s words', async () => {
    for (const [name, headers] of bad) {
      const reply = await call(route, { headers })

      mustBeScimError(reply, 401)
      expect(reply.body.detail, name).toBe('Your credentials are invalid or expired. Sign in again or use another key.')
      expect(reply.headers['x-request-id']).toMatch(/^req_/)
    }
  })

  test.runIf(!route.anyKey)('403: a key without the scope scim or admin is told what it lacks', async () => {
    const scopes = SCOPES.filter((scope) => !permissionsOfScopes([scope]).has('scim:write'))
    const reply = await call(route, { key: await makeKey(acme, { scopes }) })

    mustBeScimError(reply, 403)
    expect(reply.body.detail).toBe('You need the permission scim:write (scope scim).')
  })

  test.each(['admin', 'scim'] as const)('the scope %s is enough, in both modes', async (scope) => {
    for (const kind of ['live', 'test'] as const) {
      const reply = await call(route, { key: await makeKey(acme, { scopes: [scope], kind }) })

      expect([401, 403, 429, 500, 503]).not.toContain(reply.status)
      if (reply.status >= 400) mustBeScimError(reply, reply.status)
    }
  })

  test.runIf(variablesOf(route).length > 0)('404: an id that cannot exist is like one that does not', async () => {
    for (const id of ['a b', 'a#b', 'é', '%', 'constructor', 'x'.repeat(129)]) {
      const reply = await call(route, {
        key: acme.live_key,
        params: { id },
        body: { userName: 'x', displayName: 'x', Operations: [{ op: 'add', value: {} }] },
      })

      mustBeScimError(reply, 404)
      expect(reply.body.detail).toBe(`${route.resource} not found`)
    }
  })

  test.runIf(hasBody(route))('its example in functions/scim/examples.ts is understood', async () => {
    expect((await call(route, { key: acme.live_key })).status).not.toBe(400)
  })

  test.runIf(hasBody(route))('400, 413: a body that is no JSON object, or too large', async () => {
    for (const body of ['[]', '"x"', 'null', '{', 'a=1']) {
      const reply = await call(route, { key: acme.live_key, body })

      mustBeScimError(reply, 400)
      expect(reply.body.scimType).toBe('invalidSyntax')
    }
    const large = JSON.stringify({ displayName: 'x'.repeat(route.bodyBytesMax ?? 262_144) })
    mustBeScimError(await call(route, { key: acme.live_key, body: large }), 413)
  })
})

test('400 invalidValue: what our own door refuses as 422 is a 400 in SCIM', async () => {
  const reply = await call(scim.createUser, { key: acme.live_key, body: '{"userName":"\\ud800"}' })

  mustBeScimError(reply, 400)
  expect(reply.body.scimType).toBe('invalidValue')
})

test('400: a body of another media type', async () => {
  const headers = { 'content-type': 'text/plain' }
  mustBeScimError(await call(scim.createUser, { key: acme.live_key, body: '{"userName":"x"}', headers }), 400)
})

test('429: with Retry-After, in SCIM’s words', async () => {
  const free = await local.tenant({ plan: 'free' })
  const { table } = systemContext({ tenant_id: free.tenant_id, mode: 'live' })
  for (let i = 0; i < PLAN_FACTS.free.perMinute; i += 1) {
    await takeOne(table, `T#${free.tenant_id}#live#RL`, { ...PLAN_FACTS.free, perSecond: 10_000 })
  }
  const reply = await call(scim.listUsers, { key: free.live_key })

  mustBeScimError(reply, 429)
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
})

test('5xx: a fault of ours is answered in SCIM’s words, without its cause', async () => {
  const { call: as } = await local.tenant()
  await as(scim.listUsers)
  database.die({ at: 1, command: 'QueryCommand', brief: true })
  const reply = await as(scim.listUsers)
  database.restart()

  mustBeScimError(reply, 500)
  expect(reply.body.detail).toBe('The service failed. Try again, and report the trace_id if it fails again.')
})

test('404, 405: what no route matches, in SCIM’s words', async () => {
  const ask = async (method: string, path: string) => {
    const { status, headers, text } = await send(`${local.appUrl}/api/scim/v2${path}`, { method })
    return { status, headers, body: JSON.parse(text) }
  }

  for (const path of ['/Printers', '/USERS', '/Users//']) mustBeScimError(await ask('GET', path), 404)
  for (const path of ['/Users', '/users/']) {
    const refused = await ask('DELETE', path)
    mustBeScimError(refused, 405)
    expect(refused.headers.allow).toBe('GET, HEAD, POST')
  }
})

test('paths are understood in lower case and with a slash at the end, and answered with those of the standard', async () => {
  const headers = { 'x-api-key': acme.test_key, 'content-type': 'application/scim+json' }
  const ask = async (method: string, path: string, body?: object) => {
    const { status, text } = await send(`${local.appUrl}/api/scim/v2${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status, body: text && JSON.parse(text) }
  }
  const made = await ask('POST', '/users/', { userName: 'lower@acme.example' })
  const { id, meta } = made.body

  expect(made.status).toBe(201)
  expect(meta.location).toMatch(new RegExp(`/api/scim/v2/Users/${id}$`))
  for (const path of [`/Users/${id}`, `/users/${id}`, `/Users/${id}/`, `/users/${id}/`]) {
    expect(await ask('GET', path)).toMatchObject({ status: 200, body: { id } })
  }
  expect(await ask('GET', '/users/?filter=userName%20eq%20%22lower@acme.example%22')).toMatchObject({
    status: 200,
    body: { totalResults: 1, Resources: [{ id }] },
  })
  expect((await ask('GET', '/serviceproviderconfig')).status).toBe(200)
  expect((await ask('DELETE', `/users/${id}`)).status).toBe(204)
})
