// Rules over every list of the service: both envelopes, limits, cursors.
import { beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../functions/api.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { compliance } from '../../../functions/compliance/routes.ts'
import { domains } from '../../../functions/domains/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { training } from '../../../functions/training/routes.ts'
import { users } from '../../../functions/users/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { workers } from '../../../shared/govern/tasks/worker.ts'
import { newWorker } from '../../../shared/operate/work/register-worker.ts'
import { type Finding, raise } from '../../../shared/identity/security-events/raise.ts'
import { put } from '../../../shared/identity/artefacts/store.ts'
import { type Context, openTable, systemContext } from '../../../shared/base/context.ts'
import { type AllowlistRule, allowlistRules } from '../../../shared/identity/access/allowlist-rule.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { newDelivery } from '../../../shared/deliver/webhooks/delivery-rules.ts'
import { deliveries } from '../../../shared/deliver/webhooks/delivery.ts'
import {
  type AnyCall,
  anyRoute,
  bodyOf,
  forPersons,
  manifest,
  noneInSandbox,
  paramsOf,
} from '../../support/any-route.ts'
import { mustBeRefusal, withoutIds } from '../../support/error-body.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { incidents } from '../../../functions/incidents/routes.ts'
import { type Invoice, invoices } from '../../../shared/operate/billing/subscription.ts'
import { newAbTest } from '../../support/ab-test.ts'
import { abTests } from '../../../shared/learn/experiments/ab-test.ts'
import { connectors } from '../../../shared/deliver/integrations/connector.ts'
import { newConnector } from '../../support/connector.ts'
import { alerts } from '../../../shared/operate/alerts/alert.ts'
import { pipelineRuns } from '../../../shared/learn/pipeline/run.ts'
import { routingUpdates } from '../../../shared/learn/routing/update.ts'
import { models } from '../../../shared/learn/models/model.ts'
import { calendars, type StoredCalendar } from '../../../shared/govern/governance/stored-rules.ts'
import { type Freeze, freezes } from '../../../shared/govern/freezes/freeze.ts'
import { grants } from '../../../shared/govern/approvals/grants/grant.ts'
import { delegations } from '../../../shared/govern/delegations/delegation.ts'
import { datasets } from '../../../shared/learn/datasets/dataset.ts'
import { newAlert } from '../../support/alert.ts'
import { newPipelineRun } from '../../support/pipeline-run.ts'
import { newRoutingUpdate } from '../../support/routing-update.ts'
import { newModel } from '../../support/model.ts'
import { newDelegationOf } from '../../support/delegation.ts'
import { newGrantOf } from '../../support/grant.ts'
import { newDataset } from '../../support/dataset.ts'
import { newJob } from '../../support/job.ts'
import { type SentLogout, sentLogouts } from '../../../shared/identity/oauth/sent-logout.ts'
import { jobs } from '../../../shared/learn/jobs/job.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

type Handler = { shapes: { query?: { shape?: Record<string, unknown> } } }
const load = (row: Route): Promise<Handler> => import(`../../../functions/${row.area}/${row.operation}.ts`)

/** The event log goes on for ever and exports are larger: both have pages of their own kind, and tests of their own. */
const OTHER_AREAS = new Set(['events', 'exports'])
/**
 * Reading the audit log adds to it, and it refuses what it does not know: it has tests of its own, as lists for people
 * have.
 */
const OTHERS = new Set(['security-audit-logs'])

const lists: [string, Route][] = []
const ordinary = (route: Route) =>
  route.method === 'GET' && !OTHER_AREAS.has(route.area) && !OTHERS.has(route.id) && !forPersons(route)
for (const route of routes.filter(ordinary)) {
  if ((await load(route)).shapes.query?.shape?.cursor) lists.push([`GET ${route.path}`, route])
}

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant
let call: AnyCall
/** Values of path variables under which every list holds at least three items. */
let values: Record<string, string>
/** Frameworks come with the service: every tenant has them. */
const isOfService = ({ resource }: Route) => resource === 'framework'
const valuesOf = (route: Route) => ({
  ...values,
  ...(isOfService(route) && { id: 'iso42001' }),
  ...(route.id === users.applications.id && { id: acme.owner.id }),
})

beforeAll(async () => {
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
  call = anyRoute(local.call)
  values = await fill(acme)
  await local.drain()
})

const newCalendar = (ctx: Context, name: string): StoredCalendar => ({
  ...ctx.space,
  name,
  version: 1,
  dates: ['2026-12-25'],
  created_at: iso(ctx.now()),
  updated_at: iso(ctx.now()),
  updated_by: { type: 'user', id: 'usr_1' },
})

const newFreeze = (ctx: Context): Freeze => ({
  ...ctx.space,
  id: ctx.id('frz'),
  status: 'lifted',
  scope: { node_ids: ['crm.contacts.editor'] },
  reason: 'over',
  set_by: { type: 'user', id: 'usr_1' },
  set_at: iso(ctx.now()),
})

const newRule = (tenant_id: string, n: number): AllowlistRule => ({
  tenant_id,
  id: `ipr_${n}`,
  cidr: `127.0.0.0/${8 + n}`,
  created_by: 'usr_1',
  created_at: iso(local.clock.now() + n),
})

async function fill({ tenant_id, owner, call: as }: TestTenant): Promise<Record<string, string>> {
  const node_id = 'crm.contacts.editor'
  const hooks: string[] = []
  let client_id = ''
  for (const n of [1, 2, 3]) {
    await as(protocol.registerManifest, { body: { manifest: manifest(`1.${n}.0`, node_id) } })
    await as(protocol.registerManifest, { body: { manifest: manifest('1.0.0', `crm.node${n}.editor`) } })
    await as(protocol.execute, {
      body: { node_id, action_id: 'delete_contact', payload: { n, note: 'ann@example.com' } },
    })
    await as(security.savePolicy, {
      params: { tenant_id },
      body: { ...bodyOf(security.savePolicy), name: `p${n}`, enabled: false },
    })
    await openTable().commit([allowlistRules.insert(newRule(tenant_id, n))])
    const { body: client } = await as(clients.create, { body: { ...bodyOf(clients.create), name: `c${n}` } })
    await connect({ tenant_id, owner }, client.client_id)
    client_id = client.client_id
    await as(users.invite, { body: { email: `person-${n}@example.com`, roles: ['member'] } })
    await as(domains.request, { params: { tenant_id }, body: { domain: `acme-${n}.example` } })
    await raise(systemContext({ tenant_id, mode: 'live' }), newDevice(tenant_id, n))
    // Nothing of what is made here is sent to them: the deliveries are made below.
    const hook = { ...bodyOf(webhooks.create), events: ['action.approved'] }
    hooks.push((await as(webhooks.create, { body: hook })).body.id)
    await as(work.createTask, { body: { title: `t${n}` } })
    await as(compliance.submitEvidence, { params: { tenant_id }, body: bodyOf(compliance.submitEvidence) })
    const target = { target_type: 'persona', target_id: ['default', 'cautious', 'analyst'][n - 1] }
    await as(training.submitFeedback, { body: { ...target, rating: 1 } })
    await as(incidents.create, { body: { title: `i${n}`, severity: 'sev4' } })
    await local.advance(61_000) // so that each round has a checkpoint of its own
  }
  const id = hooks.at(-1) ?? '' // the newest has had the fewest deliveries
  const ctx = systemContext({ tenant_id, mode: 'live' })
  for (let n = 0; n < 3; n += 1) {
    const event = { id: ctx.id('evt'), type: 'action.approved' as const }
    await ctx.table.commit([
      alerts.insert(newAlert(ctx)),
      connectors.insert(newConnector(ctx, `notes-${n}`)),
      datasets.insert(newDataset(ctx)),
      grants.insert(newGrantOf(ctx)),
      delegations.insert(newDelegationOf(ctx)),
      freezes.insert(newFreeze(ctx)),
      calendars.insert(newCalendar(ctx, `c${n}`)),
      invoices.insert(newInvoice(tenant_id, n)),
      pipelineRuns.insert(newPipelineRun(ctx)),
      jobs.insert(newJob(ctx)),
      sentLogouts.insert(newTold(ctx, client_id)),
      models.insert(newModel(ctx)),
      abTests.insert(newAbTest(ctx)),
      routingUpdates.insert(newRoutingUpdate(ctx)),
      deliveries.insert(newDelivery(ctx.space, { event, position: n, endpoint_id: id }, ctx.now())),
      workers.insert(newWorker(ctx, { ...WORKER, user_id: `person-${n}`, agent: undefined })),
    ])
  }
  return { node_id, id, client_id }
}

const newTold = (ctx: Context, client_id: string): SentLogout => ({
  id: ctx.id('lgo'),
  tenant_id: ctx.space.tenant_id,
  client_id,
  user_id: 'usr_1',
  status: 'delivered',
  attempts: 1,
  last_attempt_at: iso(ctx.now()),
  status_code: 200,
  error_class: null,
})

/** A grant as the consent of a person would have stored it. */
async function connect({ tenant_id, owner }: Pick<TestTenant, 'tenant_id' | 'owner'>, client_id: string) {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const exp = Math.floor(ctx.now() / 1_000) + 86_400
  const facts = { tenant_id, client_id, account_id: owner.id }
  await ctx.table.commit([put(ctx.table, { model: 'Grant', id: client_id, payload: {}, exp, facts })])
}

const WORKER = { type: 'human', name: 'Ada', skills: [] as string[], capacity: 1, max_tier: 'AUTO' } as const

const newInvoice = (tenant_id: string, n: number): Invoice => ({
  tenant_id,
  id: `in_${n}`,
  number: `A-${n}`,
  status: 'paid',
  amount_due_cents: 1,
  amount_paid_cents: 1,
  currency: 'eur',
  period_start: '2026-11-01T00:00:00.000Z',
  period_end: '2026-12-01T00:00:00.000Z',
  hosted_url: null,
  pdf_url: null,
  paid_at: null,
  created_at: `2026-11-0${n + 1}T00:00:00.000Z`,
})

const newDevice = (tenant_id: string, n: number): Finding => ({
  type: 'new_device',
  severity: 'low',
  action_taken: 'notified',
  tenant_id,
  ip: '203.0.113.7',
  once: { of: `device ${n}`, ms: 60_000 },
  notify: 'account',
})

/** Each of the lists is asked with the cursor of each other one: more than a tenant may ask in a minute. */
const anotherMinute = () => local.advance(61_000)

/** Lists whose style is the offset unless a cursor is sent, even an empty one. */
const byCursor = ({ id }: Route): Record<string, string> => (id === 'training-list-jobs' ? { cursor: '' } : {})

describe.each(lists)('%s', (_, route) => {
  beforeAll(anotherMinute)
  const params = () => ({ ...paramsOf(route, acme.tenant_id), ...valuesOf(route), tenant_id: acme.tenant_id })
  const list = (query: Record<string, string | number> = {}, key = acme.live_key) =>
    call(route, { key, params: params(), query: 'offset' in query ? query : { ...byCursor(route), ...query } })
  const cursorOf = async () => {
    const { body } = await list({ limit: 1 })
    if (!body.next_cursor) throw new Error(`${route.id}: give fill() three items of it`)
    return String(body.next_cursor)
  }

  test('the cursor style is the default: items, total, next_cursor, has_more', async () => {
    const { status, body } = await list()

    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['has_more', 'items', 'next_cursor', 'total']))
    expect(body).not.toHaveProperty('offset')
    expect(body).toMatchObject({ has_more: false, next_cursor: null })
    expect(body.total).toBe(body.items.length)
  })

  test('the offset style: items, total, limit, offset', async () => {
    const whole = (await list()).body
    const { status, body } = await list({ offset: 1, limit: 2 })

    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['items', 'limit', 'offset', 'total']))
    expect(body).not.toHaveProperty('next_cursor')
    expect(body).toMatchObject({ limit: 2, offset: 1, total: whole.total })
    expect(body.items).toEqual(whole.items.slice(1, 3))
    expect((await list({ offset: 10_000 })).body).toMatchObject({ items: [], offset: 10_000, limit: 50 })
  })

  test('page by page it is the same list, with one total', async () => {
    const whole = (await list()).body
    for (const limit of [1, 2, 7]) {
      const items: unknown[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { body } = await list({ limit, ...(cursor && { cursor }) })
        items.push(...body.items)
        expect(body.total).toBe(whole.total)
        expect(body.has_more).toBe(body.next_cursor !== null)
        cursor = body.next_cursor
      }
      expect(items).toEqual(whole.items)
    }
  })

  test('a limit above the maximum is lowered, one that is no positive integer is a 400', async () => {
    expect((await list({ limit: '1000000000', offset: 0 })).body).toMatchObject({ limit: 200 })
    for (const limit of ['0', '-1', 'x', '', '1.5', '1e9']) {
      const reply = await list({ limit })
      expect(reply, limit).toMatchObject({
        status: 400,
        body: { detail: 'These query parameters are not valid: limit. Correct or remove them.' },
      })
      mustBeRefusal(reply)
    }
  })

  test('an offset beyond 10,000 is a 400 that names the cursor, one that is no number is a 400', async () => {
    expect(await list({ offset: 10_001 })).toMatchObject({
      status: 400,
      body: { detail: 'The offset can be at most 10000. Use the cursor to read further.' },
    })
    for (const offset of ['-1', 'x', '1.5']) expect((await list({ offset })).status).toBe(400)
  })

  test('a cursor that was changed, cut or made up is refused in one text', async () => {
    const cursor = await cursorOf()
    const end = cursor.length - 1
    const changed = [0, 5, Math.floor(end / 2), end].map(
      (at) => cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1),
    )
    const [payload = '', tag = ''] = cursor.split('.')
    const own = JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), k: ['', ''] })
    const bad = [
      ...changed,
      cursor.slice(0, -1),
      cursor.slice(1),
      `${cursor}A`,
      'x',
      '.',
      'A'.repeat(3_000),
      `${Buffer.from(own).toString('base64url')}.${tag}`,
    ]

    for (const text of bad) {
      const reply = await list({ limit: 1, cursor: text })
      expect(withoutIds(reply), text).toEqual({
        status: 400,
        body: {
          detail: 'The cursor is not valid for this list. Start again without a cursor.',
          code: 'invalid_cursor',
          request_id: '',
          trace_id: '',
        },
      })
    }
  })

  test('a cursor of another tenant or the other mode is refused in the same text', async () => {
    const cursor = await cursorOf()
    const refused = expect.objectContaining({ status: 400, body: expect.objectContaining({ code: 'invalid_cursor' }) })

    // Lists below something of acme's own do not exist for others at all.
    const missing = expect.objectContaining({ status: 404 })
    const isBelow = route.path.includes('{id}') || route.path.includes('{client_id}')
    const expected = isBelow && !isOfService(route) ? missing : refused
    const foreign = { ...params(), tenant_id: other.tenant_id }
    expect(await call(route, { key: other.live_key, params: foreign, query: { cursor } })).toEqual(expected)
    const inSandbox = noneInSandbox(route) ? expect.objectContaining({ status: 403 }) : expected
    expect(await list({ cursor }, acme.test_key)).toEqual(inSandbox)
  })

  test('a cursor of another list or of another filter is refused', async () => {
    const cursor = await cursorOf()
    await local.advance(61_000) // so many lists are asked that they need a minute of the rate limit for themselves
    for (const [, list2] of lists.filter(([, one]) => one.id !== route.id)) {
      const all = { ...paramsOf(list2, acme.tenant_id), ...valuesOf(list2), tenant_id: acme.tenant_id }
      const reply = await call(list2, { key: acme.live_key, params: all, query: { cursor } })
      expect(reply, list2.id).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } })
    }
    for (const filter of filtersOf(route)) {
      expect(await list({ cursor, ...filter }), JSON.stringify(filter)).toMatchObject({ status: 400 })
    }
  })

  test('an unknown parameter is a 422, a repeated one is a 400', async () => {
    expect(await list({ utm_source: 'x' })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', 'utm_source'], msg: 'unknown parameter', type: 'extra_forbidden' }] },
    })
    const path = route.path.replaceAll(/\{(\w+)\}/g, (__, name: string) =>
      String(new Map(Object.entries(params())).get(name)),
    )
    const twice = await fetch(`${local.apiUrl}${path}?limit=1&limit=1`, { headers: { 'x-api-key': acme.live_key } })
    expect(twice.status).toBe(400)
  })
})

const FILTERS: Record<string, Record<string, string>[]> = {
  'approvals-list': [{ node_id: 'a.b.c' }, { status: 'approved' }, { sort: 'risk' }],
  'protocol-list-executions': [{ status: 'executed' }, { node_id: 'a.b.c' }],
  'security-list-policies': [{ enabled: 'true' }],
  'webhooks-deliveries': [{ status: 'failed' }, { start_at: '2026-01-01T00:00:00Z' }],
  'evidence-latest': [{ type: 'policy.updated' }],
  'security-events-list': [{ severity: 'low' }, { type: 'new_device' }],
  'compliance-list-checks': [{ status: 'pass' }, { severity: 'high' }, { framework_id: 'soc2' }],
  'compliance-list-controls': [{ status: 'met' }, { q: 'access' }, { order: 'gain' }],
  'keys-list': [{ kind: 'test' }, { status: 'active' }],
  'users-list': [{ status: 'invited' }, { q: 'person' }],
}
const filtersOf = ({ id }: Route) => FILTERS[id] ?? []

describe('filters', () => {
  beforeAll(anotherMinute)
  test('an unknown value is a 400', async () => {
    for (const [route, query] of [
      ['approvals-list', { status: 'open' }],
      ['approvals-list', { sort: 'name' }],
      ['protocol-list-executions', { status: 'done' }],
      ['security-list-policies', { enabled: 'yes' }],
      ['webhooks-deliveries', { status: 'lost' }],
      ['webhooks-deliveries', { start_at: 'yesterday' }],
    ] as const) {
      const [, row] = lists.find(([, one]) => one.id === route) ?? []
      if (!row) throw new Error(`no list ${route}`)
      const params = { ...paramsOf(row, acme.tenant_id), ...valuesOf(row), tenant_id: acme.tenant_id }
      expect((await call(row, { key: acme.live_key, params, query })).status, `${route} ${JSON.stringify(query)}`).toBe(
        400,
      )
    }
  })

  test('bounds the wrong way round hold nothing', async () => {
    const query = { start_at: '2030-01-01T00:00:00Z', end_at: '2020-01-01T00:00:00Z' }
    const reply = await acme.call(webhooks.deliveries, { params: { id: values.id ?? '' }, query })

    expect(reply).toMatchObject({ status: 200, body: { items: [], total: 0 } })
  })
})

test('1,000 items walked with limit 7 while others are added: each once, none missing', async () => {
  const busy = await local.tenant()
  const ctx = systemContext({ tenant_id: busy.tenant_id, mode: 'live' })
  const { body } = await busy.call(webhooks.create, { body: bodyOf(webhooks.create) ?? {} })
  const add = async (count: number) => {
    const made = Array.from({ length: count }, () => {
      const event = { id: ctx.id('evt'), type: 'action.approved' as const }
      return newDelivery(ctx.space, { event, position: 1, endpoint_id: body.id }, ctx.now())
    })
    for (let from = 0; from < count; from += 50) {
      await ctx.table.commit(made.slice(from, from + 50).map((delivery) => deliveries.insert(delivery)))
    }
    return made.map(({ id }) => id)
  }
  const before = await add(1_000)

  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const reply: { body: { items: { id: string }[]; next_cursor: string | null; total: number } } = await busy.call(
      webhooks.deliveries,
      { params: { id: body.id }, query: { limit: 7, ...(cursor && { cursor }) } },
    )
    seen.push(...reply.body.items.map(({ id }) => id))
    expect(reply.body.total).toBe(1_000)
    cursor = reply.body.next_cursor
    await add(1)
  }
  expect(seen).toEqual(before.toReversed())
})
