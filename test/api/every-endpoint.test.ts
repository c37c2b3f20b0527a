// Rules over the whole route table: what holds for every endpoint is tested once, here.
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Permission,
  PERMISSIONS,
  permissionsOfRoles,
  permissionsOfScopes,
  SCOPES,
} from '../../shared/base/catalog/permissions.ts'
import type { Route } from '../../shared/base/wire/route.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import {
  type AnyCall,
  anyRoute,
  bodyOf,
  ends,
  hasBody,
  paramsOf,
  restricted,
  routes,
  variablesOf,
} from '../support/any-route.ts'
import { mustBeRefusal, mustHaveCommonHeaders, withoutIds } from '../support/error-body.ts'
import { makeKey, UNKNOWN_KEY } from '../support/keys.ts'
import type { TestTenant } from '../support/local-stack.ts'
import { openerOf } from '../support/sign-in.ts'
import { useLocalStack } from '../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant
let call: AnyCall
let bad: [string, Record<string, string>][]

beforeAll(async () => {
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
  call = anyRoute(local.call)
  const now = iso(local.clock.now())
  const [expired, revoked] = [await makeKey(acme, { expires_at: now }), await makeKey(acme, { revoked_at: now })]
  bad = [
    ['none', {}],
    ['malformed', { authorization: 'Bearer something' }],
    ['mistyped', { 'x-api-key': acme.live_key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')) }],
    ['unknown', { 'x-api-key': UNKNOWN_KEY }],
    ['expired', { 'x-api-key': expired }],
    ['revoked', { authorization: `Bearer ${revoked}` }],
    ['two', { 'x-api-key': acme.live_key, authorization: `Bearer ${acme.live_key}` }],
  ]
})

const named = (list: readonly Route[]) => list.map((route) => [`${route.method} ${route.path}`, route] as const)
const permissionOf = ({ access }: Route) => access as Permission

describe.each(named(restricted))('%s', (_, route) => {
  test('401: every bad credential is refused in the same words', async () => {
    for (const [name, headers] of bad) {
      const reply = await call(route, { headers, params: paramsOf(route, acme.tenant_id) })

      expect(withoutIds(reply), name).toEqual({
        status: 401,
        body: { detail: 'invalid or expired credentials', code: 'unauthenticated', request_id: '', trace_id: '' },
      })
      expect(reply.headers['x-amzn-remapped-www-authenticate'], name).toMatch(/^Bearer realm="countersign", /)
      mustBeRefusal(reply)
      mustHaveCommonHeaders(reply)
    }
  })

  test('403: a key without the scope, or made by somebody without the permission, is told what it lacks', async () => {
    const permission = permissionOf(route)
    const { scope } = PERMISSIONS[permission]
    const scopes = SCOPES.filter((one) => !permissionsOfScopes([one]).has(permission))
    const cap = [...permissionsOfRoles(['owner'])].filter((one) => one !== permission)
    const keys = [await makeKey(acme, { scopes }), await makeKey(acme, { cap }), await makeKey(acme, { scopes: [] })]

    for (const key of keys) {
      const reply = await call(route, { key, params: paramsOf(route, acme.tenant_id) })
      expect(reply).toMatchObject({
        status: 403,
        body: {
          code: 'forbidden',
          detail: `This needs the permission ${permission} (${scope ? `scope ${scope}` : 'people only'}).`,
        },
      })
      mustBeRefusal(reply)
      mustHaveCommonHeaders(reply)
    }
  })

  test.runIf(ends(route))('the scope of its permission is enough, or the role of a person', async () => {
    const { scope } = PERMISSIONS[permissionOf(route)]
    const byKey = scope !== null && !route.inPerson
    const key = byKey ? await makeKey(acme, { scopes: [scope] }) : await openerOf(local, acme, route)
    const { status } = await call(route, { key, params: paramsOf(route, acme.tenant_id) })

    expect([401, 403, 429, 500, 503]).not.toContain(status)
  })

  test.runIf(ends(route))('an accepted request has the common headers, too', async () => {
    const key = await openerOf(local, acme, route)
    const reply = await call(route, { key, params: paramsOf(route, acme.tenant_id) })

    mustHaveCommonHeaders(reply)
    if (reply.status >= 400) mustBeRefusal(reply)
    expect(reply.headers).toMatchObject({ 'x-ratelimit-limit': '2000', 'x-ratelimit-category': route.rate })
  })
})

describe.each(named(restricted.filter((route) => variablesOf(route).includes('tenant_id'))))('%s', (_, route) => {
  test("404: another tenant's id is like one that does not exist, and is told before any permission", async () => {
    const keys = [acme.live_key, acme.test_key, await makeKey(acme, { scopes: [] })]
    const missing = {
      status: 404,
      body: { detail: 'tenant not found', code: 'not_found', request_id: '', trace_id: '' },
    }

    for (const key of keys) {
      for (const tenant_id of [other.tenant_id, 'ten_missing', 'a b']) {
        const reply = await call(route, { key, params: paramsOf(route, tenant_id) })
        expect(withoutIds(reply), tenant_id).toEqual(missing)
      }
    }
  })
})

describe.each(named(routes.filter((route) => variablesOf(route).some((name) => name !== 'tenant_id'))))(
  '%s',
  (_, route) => {
    test('404: an id that cannot exist is answered like one that does not', async () => {
      const key = await openerOf(local, acme, route)
      const missing = await call(route, { key, params: paramsOf(route, acme.tenant_id) })
      if (missing.status !== 404) throw new Error(`${missing.status} for an id that does not exist`)

      expect(missing.body.detail).toBe(`${route.resource} not found`)
      mustBeRefusal(missing)
      for (const value of ['a b', 'a#b', 'é', 'a/b', '%', '{id}', '\u0000', 'x'.repeat(129)]) {
        const reply = await call(route, { key, params: paramsOf(route, acme.tenant_id, value) })
        expect(withoutIds(reply), value).toEqual(withoutIds(missing))
      }
      for (const value of ['constructor', '__proto__', '...', 'x'.repeat(128), '~@:-_.']) {
        const reply = await call(route, { key, params: paramsOf(route, acme.tenant_id, value) })
        expect(withoutIds(reply), value).toEqual(withoutIds(missing))
      }
    })
  },
)

type Violation = { loc: string[] }

/** Only the person or the running service knows a right value, so no example can have one. */
const isPrivate = ([, member = '']: string[]) => ['current_password', 'challenge_id'].includes(member)

describe.each(named(routes.filter(hasBody)))('%s', (_, route) => {
  test('its example in functions/<area>/examples.ts passes validation', async () => {
    const key = await openerOf(local, acme, route)
    const reply = await call(route, { key, params: paramsOf(route, acme.tenant_id) })

    const wrong = reply.status === 422 ? reply.body.detail.filter(({ loc }: Violation) => !isPrivate(loc)) : []
    expect({ wrong, malformed: reply.status === 400 }).toEqual({ wrong: [], malformed: false })
  })

  test('422: fields that the service owns are unknown on write', async () => {
    const { shapes } = await import(`../../functions/${route.area}/${route.operation}.ts`)
    const owned = ['id', 'tenant_id', 'hash', 'created_at', 'roles', 'constructor']
    for (const name of owned.filter((each) => !Object.hasOwn(shapes.body.shape, each))) {
      const reply = await call(route, { key: acme.live_key, body: { ...bodyOf(route), [name]: 'x' } })

      expect(reply, name).toMatchObject({
        status: 422,
        body: {
          detail: expect.arrayContaining([{ loc: ['body', name], msg: 'unknown field', type: 'extra_forbidden' }]),
        },
      })
      mustBeRefusal(reply)
    }
  })

  test('400: a body that is no JSON object is refused', async () => {
    for (const body of ['[]', '"x"', 'null', '{', 'a=1']) {
      mustBeRefusal(await call(route, { key: acme.live_key, body }))
      expect(await call(route, { body })).toMatchObject({ status: 400, body: { code: 'malformed' } })
    }
  })
})

/** Where links of mails lead and identity providers send browsers: both may add parameters of their own. */
const LOOSE =
  /^GET \/api\/v1\/auth\/verify-email$|^(GET|POST) \/auth\/(password|sso\/(start|callback|logout|saml\/metadata\/\{tenant\}))$/

describe.each(named(routes.filter((route) => !LOOSE.test(`${route.method} ${route.path}`))))('%s', (_, route) => {
  test('422: a query parameter that the route does not know is refused, whoever asks', async () => {
    for (const key of [acme.live_key, undefined]) {
      const query = { fitler: 'x', constructor: 'y' }
      const reply = await call(route, { key, params: paramsOf(route, acme.tenant_id), query })

      const unknown = (name: string) => ({ loc: ['query', name], msg: 'unknown parameter', type: 'extra_forbidden' })
      expect(reply).toMatchObject({
        status: 422,
        body: { code: 'invalid', detail: [unknown('fitler'), unknown('constructor')] },
      })
      mustBeRefusal(reply)
    }
  })
})

/** identity.md, section 3: what needs no credential, because it gives one, asks for one, or tells what everybody may know. */
const OPEN = new RegExp(
  [
    'GET /(api/health(/live|/ready)?|openapi\\.json|docs.*|\\.well-known/.+)?',
    'POST (/api/v1)?/auth/(login|refresh)',
    'POST /api/v1/auth/(register|password/(forgot|reset)|resend-verification|mfa/verify|sso/token)',
    'GET /api/v1/auth/verify-email',
    '(GET|POST) /auth/password',
    '(GET|POST) /auth/sso/.+',
    '(GET|POST|PUT|DELETE|OPTIONS) /oauth/.+',
  ]
    .map((each) => `^${each}$`)
    .join('|'),
)

describe('the table itself', () => {
  test('names the resource of every path variable', () => {
    const unnamed = routes.filter((route) => variablesOf(route).some((name) => name !== 'tenant_id') && !route.resource)

    expect(unnamed.map(({ id }) => id)).toEqual([])
  })

  test('keeps public what the design lists as public, and nothing else', () => {
    const open = routes.filter(({ access }) => access === 'public').map(({ method, path }) => `${method} ${path}`)

    for (const route of open) expect(route).toMatch(OPEN)
  })
})
