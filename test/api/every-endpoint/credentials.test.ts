// What holds for every route that wants a credential: who is refused, in which words, and what every answer carries.
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Permission,
  PERMISSIONS,
  permissionsOfRoles,
  permissionsOfScopes,
  SCOPES,
} from '../../../shared/base/catalog/permissions.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { type AnyCall, anyRoute, ends, named, paramsOf, restricted, SAMPLES } from '../../support/any-route.ts'
import { mustBeRefusal, mustHaveCommonHeaders, withoutIds } from '../../support/error-body.ts'
import { makeKey, UNKNOWN_KEY } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { openerOf } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let call: AnyCall
let bad: [string, Record<string, string>][]

beforeAll(async () => {
  acme = await local.tenant()
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

/** Keys that lack a permission: by their scopes, and because whoever made them lacks it. Made once for all its routes. */
const lacking = new Map<Permission, Promise<string[]>>()
const keysWithout = (permission: Permission): Promise<string[]> => {
  const scopes = SCOPES.filter((one) => !permissionsOfScopes([one]).has(permission))
  const cap = [...permissionsOfRoles(['owner'])].filter((one) => one !== permission)
  const keys = lacking.get(permission) ?? Promise.all([makeKey(acme, { scopes }), makeKey(acme, { cap })])
  lacking.set(permission, keys)
  return keys
}

describe.each(named(restricted))('%s', (_, route) => {
  test('401: bad credentials are refused in the same words', async () => {
    const turn = restricted.indexOf(route)
    const tried = SAMPLES.has(route) ? bad : bad.filter((_pair, n) => n === turn % bad.length)

    for (const [name, headers] of tried) {
      const reply = await call(route, { headers, params: paramsOf(route, acme.tenant_id) })

      expect(withoutIds(reply), name).toEqual({
        status: 401,
        body: {
          detail: 'Your credentials are invalid or expired. Sign in again or use another key.',
          code: 'unauthenticated',
          request_id: '',
          trace_id: '',
        },
      })
      expect(reply.headers['x-amzn-remapped-www-authenticate'], name).toMatch(/^Bearer realm="countersign", /)
      mustBeRefusal(reply)
      mustHaveCommonHeaders(reply)
    }
  })

  test('403: a key without the scope, or made by somebody without the permission, is told what it lacks', async () => {
    const permission = route.access as Permission
    const { scope } = PERMISSIONS[permission]

    for (const key of await keysWithout(permission)) {
      const reply = await call(route, { key, params: paramsOf(route, acme.tenant_id) })
      expect(reply).toMatchObject({
        status: 403,
        body: {
          code: 'forbidden',
          detail: `You need the permission ${permission} (${scope ? `scope ${scope}` : 'people only'}).`,
        },
      })
      mustBeRefusal(reply)
      mustHaveCommonHeaders(reply)
    }
  })

  test.runIf(ends(route))(
    'a credential with the permission gets past all guards, to an answer with the common headers',
    async () => {
      const key = await openerOf(local, acme, route)
      const reply = await call(route, { key, params: paramsOf(route, acme.tenant_id) })

      expect([401, 403, 429, 500, 503]).not.toContain(reply.status)
      mustHaveCommonHeaders(reply)
      if (reply.status >= 400) mustBeRefusal(reply)
      expect(reply.headers).toMatchObject({ 'x-ratelimit-limit': '2000', 'x-ratelimit-category': route.rate })
    },
  )
})
