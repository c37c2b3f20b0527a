// Sends the example of every operation to the running service, as its code samples do. Ids of other deployments are not found
// here; whatever else an example holds is understood.
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { loadVariables, variablesOf } from '../../../infra/openapi/examples.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { type AnyCall, anyRoute, ends, restricted } from '../../support/any-route.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { openerOf } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
let call: AnyCall
beforeAll(async () => {
  acme = await local.tenant()
  call = anyRoute(local.call)
})

beforeEach(() => local.clock.moveTo(local.clock.now() + 61_000))

const places = await loadVariables(restricted)

const paramsOf = ({ area, path }: Route) =>
  Object.fromEntries(
    variablesOf(path, places[area]).map(({ name, example }) => [name, name === 'tenant_id' ? acme.tenant_id : example]),
  )

/** Members whose values exist in no other deployment. */
const UNKNOWN_HERE: Record<string, string> = {
  'approvals-create-delegation': 'from_at',
  'auth-change-password': 'current_password',
  'mfa-add-passkey': 'challenge_id',
  'tenants-close': 'confirm',
  'work-register-worker': 'user_id',
}

test.each(restricted.filter(ends).map((route) => [route.id, route] as const))('%s is understood', async (id, route) => {
  const { status, body } = await call(route, { key: await openerOf(local, acme, route), params: paramsOf(route) })

  if (id in UNKNOWN_HERE) expect(body.detail).toMatchObject([{ loc: ['body', UNKNOWN_HERE[id]] }])
  else expect([200, 201, 202, 204, 302, 403, 404, 409], JSON.stringify(body)).toContain(status)
})
