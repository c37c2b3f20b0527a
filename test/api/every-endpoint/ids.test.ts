// What holds for every route with ids in its path: nothing tells a thing of another tenant from one that does not exist.
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type AnyCall,
  anyRoute,
  named,
  paramsOf,
  restricted,
  routes,
  SAMPLES,
  variablesOf,
} from '../../support/any-route.ts'
import { mustBeRefusal, withoutIds } from '../../support/error-body.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { openerOf } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant
let keys: string[]
let call: AnyCall

beforeAll(async () => {
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
  keys = [acme.live_key, acme.test_key, await makeKey(acme, { scopes: [] })]
  call = anyRoute(local.call)
})

const ofTenants = restricted.filter((route) => variablesOf(route).includes('tenant_id'))

describe.each(named(ofTenants))('%s', (_, route) => {
  test("404: another tenant's id is like one that does not exist, and is told before any permission", async () => {
    const missing = {
      status: 404,
      body: { detail: 'tenant not found', code: 'not_found', request_id: '', trace_id: '' },
    }

    const strangers = [other.tenant_id, 'ten_missing', 'a b']
    const all = keys.flatMap((key) => strangers.map((tenant_id) => ({ key, tenant_id })))
    const turn = ofTenants.indexOf(route)
    // The first route meets all of them; each other one the first, which is the usual attempt, and one more in turn.
    for (const { key, tenant_id } of turn === 0
      ? all
      : all.filter((_one, at) => at === 0 || at === turn % all.length)) {
      const reply = await call(route, { key, params: paramsOf(route, tenant_id) })
      expect(withoutIds(reply), tenant_id).toEqual(missing)
    }
  })
})

/** They make what does not exist yet, under the name in the path, or first ask who is there. */
const MAKING = ['security-save-calendar', 'approvals-page', 'approvals-submit-page']
const withIds = routes.filter(
  (route) => variablesOf(route).some((name) => name !== 'tenant_id') && !MAKING.includes(route.id),
)
const IMPOSSIBLE = ['a b', 'a#b', 'é', 'a/b', '%', '{id}', '\u0000', 'x'.repeat(129)]
const STRANGE = ['__proto__', 'constructor', '...', 'x'.repeat(128), '~@:-_.']

describe.each(named(withIds))('%s', (_, route) => {
  test('404: an id that cannot exist is answered like one that does not', async () => {
    const key = await openerOf(local, acme, route)
    const missing = await call(route, { key, params: paramsOf(route, acme.tenant_id) })
    if (missing.status !== 404) throw new Error(`${missing.status} for an id that does not exist`)

    expect(missing.body.detail).toBe(`${route.resource} not found`)
    mustBeRefusal(missing)
    const turn = withIds.indexOf(route)
    const some = [IMPOSSIBLE[turn % IMPOSSIBLE.length], STRANGE[turn % STRANGE.length]]
    for (const value of SAMPLES.has(route) ? [...IMPOSSIBLE, ...STRANGE] : some) {
      const reply = await call(route, { key, params: paramsOf(route, acme.tenant_id, value) })
      expect(withoutIds(reply), value).toEqual(withoutIds(missing))
    }
  })
})

test('every path variable names its resource', () => {
  expect(withIds.filter((route) => !route.resource).map(({ id }) => id)).toEqual([])
})
