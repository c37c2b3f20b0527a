// Hostile input against every route that takes a body, and every query: the documented refusal, nothing stored, no 5xx.
import { ScanCommand } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import * as z from 'zod'
import { beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../functions/api.ts'
import { dynamodb } from '../../shared/base/aws/clients.ts'
import { ListQuery } from '../../shared/base/wire/pagination.ts'
import type { Route } from '../../shared/base/wire/route.ts'
import { canonicalJson } from '../../shared/base/lib/json.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import {
  type AnyCall,
  anyRoute,
  bodyOf,
  ends,
  named,
  paramsOf,
  restricted,
  SAMPLES,
  writing,
} from '../support/any-route.ts'
import { nested, refused } from '../support/awkward-json.ts'
import { mustBeRefusal } from '../support/error-body.ts'
import { makeKey, UNKNOWN_KEY } from '../support/keys.ts'
import type { TestTenant } from '../support/local-stack.ts'
import { useLocalStack } from '../support/use-local-stack.ts'
import { ATTACK_STRINGS, ATTACKS_ON_QUERIES, places, replaced, texts, wrongTypes } from './corpus.ts'

type Shapes = { query?: z.ZodObject; body?: z.ZodObject }
const shapesOf = async ({ area, operation }: Route): Promise<Shapes> =>
  (await import(`../../functions/${area}/${operation}.ts`)).shapes

const local = useLocalStack()
let acme: TestTenant
let call: AnyCall
let deadKeys: string[]
/** What was stored before the route at hand. */
let before: string[]
beforeAll(async () => {
  call = anyRoute(local.call)
  acme = await local.tenant()
  const now = iso(local.clock.now())
  deadKeys = [UNKNOWN_KEY, await makeKey(acme, { revoked_at: now }), await makeKey(acme, { expires_at: now })]
  before = await stored()
})

/** Everything stored, but for what a refused request may count: windows, and when a key was last used. */
async function stored(): Promise<string[]> {
  const tables = [process.env.TABLE_NAME, process.env.KEYS_TABLE_NAME]
  const pages = await Promise.all(
    tables.map((TableName) => dynamodb().send(new ScanCommand({ TableName, ConsistentRead: true }))),
  )
  const items = pages.flatMap(({ Items = [] }) => Items.map((item) => unmarshall(item)))
  const counted = items.filter(({ pk }) => !/(^|#)RL(#|$)|^COUNTER#/.test(pk))
  return counted.map(({ last_used_at: _, ...item }) => canonicalJson(JSON.parse(JSON.stringify(item)))).toSorted()
}

const post = (route: Route, body: object | string, key = acme.live_key) =>
  call(route, { key, params: paramsOf(route, acme.tenant_id), body })

/** Sends each body as the owner; each must be refused with one of the statuses. */
async function mustRefuse(route: Route, statuses: number[], bodies: (object | string)[]): Promise<void> {
  for (const body of bodies) {
    const reply = await post(route, body)
    const shown = (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 300)
    expect(statuses, `${shown} → ${JSON.stringify(reply.body)}`).toContain(reply.status)
    mustBeRefusal(reply)
  }
}

const NO_OBJECT = [
  '{',
  '{"a":}',
  '[',
  'null',
  '[]',
  '[{}]',
  '"text"',
  '1',
  'true',
  '\u0000',
  '{"a":1}}',
  '<a/>',
  'a=1&b=2',
]
const NOT_CARRIED = [
  ...refused.map(({ json }) => json),
  ...refused.filter(({ json }) => json.length < 300).map(({ json }) => `{"a":[{"b":${json}}]}`),
  nested(10_000),
  '{"a":-1e400}',
  '{"a":-9007199254740993}',
]

/** Bodies are parsed in one place for all routes: the samples meet all of these, each other route two in turn. */
const partFor = (route: Route, bodies: string[]): string[] => {
  const turn = (writing.indexOf(route) * 2) % bodies.length
  return SAMPLES.has(route) ? bodies : [...bodies, ...bodies].slice(turn, turn + 2)
}

/**
 * The door asks the shape before anything else of the service runs. So all that the shape lets pass is sent, and of what it
 * refuses every eighth.
 */
const worthSending = <T>(shape: z.ZodType | undefined, inputs: T[]): T[] =>
  inputs.filter((input, index) => index % 8 === 0 || !shape || shape.safeParse(input).success)

describe.each(named(writing))('%s', (_, route) => {
  const sample = bodyOf(route) ?? {}

  test('what is no JSON object is a 400', async () => {
    await mustRefuse(route, [400], partFor(route, NO_OBJECT))
  })

  test('what JSON cannot carry is a 422, wherever it stands', async () => {
    await mustRefuse(route, [422], partFor(route, NOT_CARRIED))
  })

  test('one byte too many is a 413, and so are 10 MB', async () => {
    const limit = route.bodyBytesMax ?? 262_144
    const first = writing.find(({ bodyBytesMax = 262_144 }) => bodyBytesMax === limit) // all others of this limit do the same
    const huge = route === first ? [JSON.stringify({ a: 'x'.repeat(10_000_000) })] : []
    await mustRefuse(route, [413], [' '.repeat(limit + 1), ...huge])
  })

  test('a field of another type is refused, and so is each unknown one at every level', async () => {
    const wrong = places(sample).flatMap(({ path, value }) =>
      wrongTypes(value).map((other) => replaced(sample, path, other)),
    )
    const unknown = places({ root: sample })
      .filter(({ value }) => typeof value === 'object' && !Array.isArray(value))
      .map(({ path }) => replaced(sample, [...path.slice(1), 'zzz'], 1))
    const { body } = await shapesOf(route)
    await mustRefuse(route, [400, 422], [...worthSending(body, wrong), ...worthSending(body, unknown)])
  })

  test('each missing field is a 400 that names it', async () => {
    const { body } = await shapesOf(route)
    const required = Object.entries(body?.shape ?? {}).filter(
      ([, field]) => !(field as z.ZodType).safeParse(undefined).success,
    )
    for (const [name] of required) {
      const reply = await post(route, replaced(sample, [name], undefined))
      expect(reply).toMatchObject({
        status: 400,
        body: { detail: `You left out required fields: ${name}. Send them.`, code: 'missing_field' },
      })
    }
  })

  test('of a duplicate key the last value counts', async () => {
    const name = Object.keys(sample)[0] ?? 'zzz'
    const text = JSON.stringify(sample).replace(/\}$/, `${Object.keys(sample).length > 0 ? ',' : ''}"${name}":[[]]}`)
    await mustRefuse(route, [400, 422], [text])
  })

  test.skipIf(route.access === 'public')('keys that are unknown, revoked or expired are a 401', async () => {
    const turn = writing.indexOf(route) % deadKeys.length
    const tried = SAMPLES.has(route) ? deadKeys : deadKeys.slice(turn, turn + 1)
    for (const key of tried) expect((await post(route, sample, key)).status).toBe(401)
  })

  test('nothing of all this was stored', async () => {
    const after = await stored()
    const found = { before, after }
    before = after // what one route stores is not the next one's fault
    expect(found.after).toEqual(found.before)
  })
})

/** All lists page in the same way, so one of them meets the attacks on that. */
const paging = new Set(Object.keys(ListQuery.shape))
const firstList = routes.find(({ id }) => id === 'protocol-list-executions')

const reading = routes.filter((route) => route.method === 'GET' && ends(route)).filter(({ id }) => id !== 'scim-get-me') // answers 501 to everything

describe.each(named(reading))('%s', (_, route) => {
  test('no query breaks it', async () => {
    const { query } = await shapesOf(route)
    const own = Object.keys(query?.shape ?? {}).filter((name) => !paging.has(name) || route === firstList)
    for (const [index, name] of [...own, '__proto__'].entries()) {
      // Every third attack on each parameter, so that three neighbours meet them all.
      const attacks = ATTACKS_ON_QUERIES.filter((__, n) => (n + index) % 3 === 0)
      for (const attacked of worthSending(
        query,
        attacks.map((attack) => ({ [name]: attack })),
      )) {
        const input = { key: acme.live_key, params: paramsOf(route, acme.tenant_id), query: attacked }
        const reply = await call(route, input)
        expect(reply.status, JSON.stringify(attacked).slice(0, 60)).toBeLessThan(500)
      }
    }
  })
})

describe.each(named(writing))('%s', (_, route) => {
  test('no text in any of its fields breaks it', async () => {
    const { body } = await shapesOf(route)
    const schema = body && z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
    for (const [index, path] of texts((schema ?? {}) as Parameters<typeof texts>[0]).entries()) {
      // Every third attack on each field, so that three neighbours meet them all.
      const attacks = [...ATTACK_STRINGS, ...ATTACKS_ON_QUERIES].filter((__, n) => (n + index) % 3 === 0)
      const bodies = attacks.map((attack) => replaced(bodyOf(route) ?? {}, path, attack))
      for (const attacked of worthSending(body, bodies)) {
        const reply = await post(route, attacked)
        expect(reply.status, `${path.join('.')} in ${JSON.stringify(attacked).slice(0, 300)}`).toBeLessThan(500)
      }
    }
  })
})

test('nothing that was refused has left a trace in any prototype', () => {
  for (const name of ['polluted', 'a', 'zzz']) expect(name in {}).toBe(false)
  expect(restricted.length).toBeGreaterThan(0)
})
