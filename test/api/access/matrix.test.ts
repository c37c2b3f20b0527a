// Every route against the permissions table: each role, each scope, and the sandbox.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type Permission,
  PERMISSIONS,
  permissionsOfRoles,
  permissionsOfScopes,
  ROLES,
  SCOPES,
} from '../../../shared/base/catalog/permissions.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { type AnyCall, anyRoute, ends, noneInSandbox, paramsOf, restricted } from '../../support/any-route.ts'
import { makeKey } from '../../support/keys.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { personWith } from '../../support/people.ts'
import { signIn, type SignedIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let owner: SignedIn
let call: AnyCall
beforeAll(async () => {
  acme = await local.tenant()
  owner = await signIn(local, acme.owner)
  call = anyRoute(local.call)
})

// Each test asks every route: together they would exceed the limit of a minute.
beforeEach(() => local.clock.moveTo(local.clock.now() + 61_000))

const needs = ({ access }: Route) => access as Permission
/** What everybody may do would end the session that asks. */
const guarded = restricted.filter((route) => ends(route) && route.access !== 'self')

/** Whether the table of permissions lets a credential pass; whatever else may refuse it comes later. */
async function passes(route: Route, key: string): Promise<boolean> {
  const { status, body } = await call(route, { key, params: paramsOf(route, acme.tenant_id) })
  if (status === 401 || status === 429 || status === 500 || status === 503)
    throw new Error(`${route.id}: ${status} ${JSON.stringify(body)}`)
  return !(status === 403 && String(body.detail).startsWith('You need the permission '))
}

/** Routes whose answer is not what the table says. */
async function wrong(key: string, held: ReadonlySet<Permission>): Promise<string[]> {
  const found: string[] = []
  for (const route of guarded) {
    const may = held.has(needs(route)) || (route.anyKey === true && key.startsWith('ak_'))
    if ((await passes(route, key)) !== may) found.push(`${route.id} ${may ? 'refused' : 'allowed'}`)
  }
  return found
}

test.each(Object.values(ROLES))('a person who is %s passes where the table says so, and nowhere else', async (role) => {
  const person = await personWith(local, owner, [role])

  expect(await wrong(person.access_token, permissionsOfRoles([role]))).toEqual([])
})

test.each(SCOPES)('a key with scope %s passes where the table says so, and nowhere else', async (scope) => {
  const key = await makeKey(acme, { scopes: [scope] })

  expect(await wrong(key, permissionsOfScopes([scope]))).toEqual([])
})

test('a sandbox key with every scope is refused what belongs to the tenant as a whole', async () => {
  const key = await makeKey(acme, { kind: 'test' })
  const statuses: [string, number][] = []
  for (const route of guarded.filter(noneInSandbox)) {
    statuses.push([route.id, (await call(route, { key, params: paramsOf(route, acme.tenant_id) })).status])
  }

  expect(statuses.length).toBeGreaterThan(20)
  expect(statuses.filter(([, status]) => status !== 403)).toEqual([])
})

describe('the table', () => {
  test('names a permission for every route that needs a credential', () => {
    for (const route of restricted) expect(Object.keys(PERMISSIONS), route.id).toContain(route.access)
  })

  test('lets no key make keys, close a tenant or act as a person', () => {
    const never = restricted.filter((route) => PERMISSIONS[needs(route)].scope === null).map(({ access }) => access)

    expect(new Set(never)).toEqual(new Set(['self', 'apikeys:write', 'freezes:lift', 'tenant:delete']))
  })
})
