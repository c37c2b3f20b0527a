// What holds for the body and the query of every route: what it does not know is refused, and named.
import { beforeAll, describe, expect, test } from 'vitest'
import { type AnyCall, anyRoute, bodyOf, hasBody, named, paramsOf, routes, SAMPLES } from '../../support/any-route.ts'
import { mustBeRefusal } from '../../support/error-body.ts'
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

type Violation = { loc: string[] }

/** Only the person or the running service knows a right value, or it must be soon, so no example can have one. */
const PRIVATE = ['current_password', 'challenge_id', 'user_id', 'to_user_id', 'from_at', 'until']
const isPrivate = ([, member = '']: string[]) => PRIVATE.includes(member)

describe.each(named(routes.filter(hasBody)))('%s', (_, route) => {
  test('its example in functions/<area>/examples.ts passes validation', async () => {
    const key = await openerOf(local, acme, route)
    const reply = await call(route, { key, params: paramsOf(route, acme.tenant_id) })

    const wrong = reply.status === 422 ? reply.body.detail.filter(({ loc }: Violation) => !isPrivate(loc)) : []
    expect({ wrong, malformed: reply.status === 400 }).toEqual({ wrong: [], malformed: false })
  })

  test('422: fields that the service owns are unknown on write', async () => {
    const { shapes } = await import(`../../../functions/${route.area}/${route.operation}.ts`)
    const all = ['id', 'tenant_id', 'hash', 'created_at', 'roles', 'constructor']
    const alternatives = shapes.body.options ?? [shapes.body]
    const owned = all.filter((each) => !alternatives.some(({ shape }: { shape: object }) => Object.hasOwn(shape, each)))
    const body = { ...bodyOf(route), ...Object.fromEntries(owned.map((name) => [name, 'x'])) }
    const reply = await call(route, { key: acme.live_key, body })

    const unknown = owned.map((name) => ({ loc: ['body', name], msg: 'unknown field', type: 'extra_forbidden' }))
    expect(reply).toMatchObject({ status: 422, body: { detail: expect.arrayContaining(unknown) } })
    mustBeRefusal(reply)
  })

  test('400: a body that is no JSON object is refused before anybody is asked who they are', async () => {
    const turn = routes.indexOf(route)
    const bodies = ['[]', '"x"', 'null', '{', 'a=1']
    for (const body of SAMPLES.has(route) ? bodies : bodies.filter((_body, n) => n === turn % bodies.length)) {
      const reply = await call(route, { body })
      expect(reply).toMatchObject({ status: 400, body: { code: 'malformed' } })
      mustBeRefusal(reply)
    }
  })
})

/** Where links of mails lead and providers send browsers or messages: they may add parameters of their own. */
const LOOSE =
  /^GET \/api\/v1\/auth\/verify-email$|^(GET|POST) \/auth\/(password|forgot|verify|sso\/(start|callback|logout|saml\/metadata\/\{tenant\}))$|^GET \/console\/connected$|^(GET|POST) \/approvals\/\{tenant_id\}\/\{id\}$|^POST \/api\/(v1\/billing\/)?webhooks\/\{id\}$/

describe.each(named(routes.filter((route) => !LOOSE.test(`${route.method} ${route.path}`))))('%s', (_, route) => {
  test('422: a query parameter that the route does not know is refused, whoever asks', async () => {
    for (const key of SAMPLES.has(route) ? [acme.live_key, undefined] : [undefined]) {
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
