// Every route against the permissions table: each role, each scope, and the sandbox. All rows of a permission are one to the
// table, so each credential asks one of them, and each row is asked by one who may and by one who may not.
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

type Holder = { name: string; holds: ReadonlySet<Permission>; credential: () => Promise<string> }

const people = Object.values(ROLES).map((role): Holder => ({
  name: `a person who is ${role}`,
  holds: permissionsOfRoles([role]),
  credential: async () => (await personWith(local, owner, [role])).access_token,
}))
const keys = SCOPES.map((scope): Holder => ({
  name: `a key with scope ${scope}`,
  holds: permissionsOfScopes([scope]),
  credential: () => makeKey(acme, { scopes: [scope] }),
}))
const HOLDERS = [...people, ...keys]

const mayAsk = (holder: Holder, route: Route) =>
  holder.holds.has(needs(route)) || (route.anyKey === true && keys.includes(holder))

const alike = [...Map.groupBy(guarded, (route) => `${needs(route)} ${route.anyKey}`).values()]

/** One route of each permission, and those that no other holder asks who may, or who may not. */
function routesFor(holder: Holder): Set<Route> {
  const ofEach = alike.map((all) => all[HOLDERS.indexOf(holder) % all.length])
  const peers = (route: Route) => HOLDERS.filter((other) => mayAsk(other, route) === mayAsk(holder, route))
  const inTurn = guarded.filter((route, index) => peers(route)[index % peers(route).length] === holder)
  return new Set([...ofEach.filter((route) => route !== undefined), ...inTurn])
}

test.each(HOLDERS)('$name passes where the table says so, and nowhere else', async (holder) => {
  const key = await holder.credential()
  const wrong: string[] = []
  for (const route of routesFor(holder)) {
    if ((await passes(route, key)) !== mayAsk(holder, route))
      wrong.push(`${route.id} ${mayAsk(holder, route) ? 'refused' : 'allowed'}`)
  }

  expect(wrong).toEqual([])
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
  test('is tried on every route, by one who may and by one who may not', () => {
    const tried = (may: boolean) =>
      new Set(HOLDERS.flatMap((holder) => [...routesFor(holder)].filter((route) => mayAsk(holder, route) === may)))

    expect(tried(true)).toEqual(new Set(guarded.filter((route) => HOLDERS.some((holder) => mayAsk(holder, route)))))
    expect(tried(false)).toEqual(new Set(guarded.filter((route) => !HOLDERS.every((holder) => mayAsk(holder, route)))))
  })

  test('names a permission for every route that needs a credential', () => {
    for (const route of restricted) expect(Object.keys(PERMISSIONS), route.id).toContain(route.access)
  })

  test('lets no key make keys, close a tenant or act as a person', () => {
    const never = restricted.filter((route) => PERMISSIONS[needs(route)].scope === null).map(({ access }) => access)

    expect(new Set(never)).toEqual(new Set(['self', 'apikeys:write', 'freezes:lift', 'tenant:delete']))
  })
})
