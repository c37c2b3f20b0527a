// The calls of billing against a server that Stripe makes from its own description of its API: whatever the stand-in of this service
// answers, Stripe answers with the same status, kind and members. Runs where STRIPE_MOCK_URL names such a server.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Json } from '../../shared/base/lib/json.ts'
import { useLocalStack } from '../support/use-local-stack.ts'
import { type Call, callsOn, EXAMPLES, type Ids } from './calls.ts'

const MOCK = process.env['STRIPE_MOCK_URL']
const local = useLocalStack()

type Body = Record<string, Json | undefined>

async function ask(base: string, { method, path, form }: Omit<Call, 'by'>): Promise<{ status: number; body: Body }> {
  const answer = await fetch(new URL(path, base), {
    method,
    headers: { authorization: 'Bearer sk_test_123', 'stripe-version': '2026-10-28.endive' },
    ...(form && { body: new URLSearchParams(form) }),
  })
  return { status: answer.status, body: (await answer.json()) as Body }
}

function idIn({ body }: { body: Body }, member = 'id'): string {
  const value = body[member]
  if (typeof value !== 'string') throw new Error(`no ${member}`)
  return value
}

/** A customer of the stand-in who has paid, and another page that is open. Stripe's server answers for any id. */
async function furnished(): Promise<Ids> {
  const post = (path: string, form: Record<string, string>) => ask(local.connect.url, { method: 'POST', path, form })
  const customer = idIn(await post('/v1/customers', { name: 'Acme' }))
  const page = { customer, 'line_items[0][price]': 'price_team', client_reference_id: 'ten_1', mode: 'subscription' }
  const [paid, open] = [await post('/v1/checkout/sessions', page), await post('/v1/checkout/sessions', page)]
  await fetch(idIn(paid, 'url'), {
    method: 'POST',
    body: new URLSearchParams({ decision: 'pay' }),
    redirect: 'manual',
  })
  const session = idIn(paid)
  const found = await ask(local.connect.url, { method: 'GET', path: `/v1/checkout/sessions/${session}` })
  const [invoice = ''] = Object.keys(local.connect.payments.state.invoices)
  return { customer, session, open: idIn(open), subscription: idIn(found, 'subscription'), invoice }
}

let ours: Call[]
beforeAll(async () => {
  local.connect.payments.hold(true)
  ours = callsOn(await furnished())
})

type Difference = { at: string; ours: string; theirs: string }
const kindOf = (value: Json | undefined): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

/** What is `null` with one of them says nothing, nor does what stands below it; `metadata` has members of its own. */
function differences(mine: Json | undefined, theirs: Json | undefined, at = ''): Difference[] {
  if (mine === null || theirs === null || at.endsWith('.metadata')) return []
  const kinds = [kindOf(mine), kindOf(theirs)] as const
  if (kinds[0] !== kinds[1]) return [{ at, ours: kinds[0], theirs: kinds[1] }]
  if (Array.isArray(mine) && Array.isArray(theirs))
    return mine.length > 0 && theirs.length > 0 ? differences(mine[0], theirs[0], `${at}[]`) : []
  if (!isObject(mine) || !isObject(theirs)) return []
  return Object.keys(mine).flatMap((name) => differences(mine[name], theirs[name], `${at}.${name}`))
}

const isObject = (value: Json | undefined): value is Body & Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

test.skipIf(!MOCK).for(callsOn(EXAMPLES).map((call, index) => [call.by, call.path.split('?')[0], index] as const))(
  '%s (%s) is answered as Stripe does',
  async ([, , index]) => {
    const call = ours[index]
    if (!call) throw new Error('no such call')
    const [mine, theirs] = await Promise.all([ask(local.connect.url, call), ask(MOCK ?? '', call)])
    expect(mine.status, JSON.stringify(mine.body)).toBe(theirs.status)
    expect(mine.body['object']).toBe(theirs.body['object'])
    expect(differences(mine.body, theirs.body)).toEqual([])
  },
)

test('no call that this service makes is missing here', () => {
  const shared = join(import.meta.dirname, '../../shared/operate')
  const made = readdirSync(shared, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(billing|usage)\/.*\.ts$/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(shared, file), 'utf8').matchAll(/\(client\) =>\s*client((?:\s*\.\w+)+)\(/g),
    ])
    .map(([, path = '']) => path.replaceAll(/\s/g, '').slice(1))
  expect(new Set(callsOn(EXAMPLES).map(({ by }) => by))).toEqual(new Set(made))
})

test('the stand-in answers every one of these calls', async () => {
  for (const call of callsOn(await furnished())) {
    const anew = call.form?.['identifier'] && { ...call.form, identifier: 'ten_1:executions:2026-11-23T21:2' }
    const answer = await ask(local.connect.url, { ...call, ...(anew && { form: anew }) })
    expect(answer, call.by).toMatchObject({ status: 200, body: { object: expect.any(String) } })
  }
})

test('the stand-in ends an open page once, as Stripe does', async () => {
  const { open } = await furnished()
  const expire = { method: 'POST', path: `/v1/checkout/sessions/${open}/expire`, form: {} } as const
  expect(await ask(local.connect.url, expire)).toMatchObject({ status: 200, body: { status: 'expired' } })
  expect(await ask(local.connect.url, expire)).toMatchObject({ status: 400 })
})

test.for(['customers', 'subscriptions', 'invoices', 'checkout/sessions'])(
  'the stand-in does not know %s of others',
  async (kind) => {
    const method = kind === 'customers' ? 'POST' : 'GET'
    const answer = await ask(local.connect.url, { method, path: `/v1/${kind}/none` })
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'resource_missing' } } })
  },
)
