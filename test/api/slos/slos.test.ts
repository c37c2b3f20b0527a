import { beforeAll, describe, expect, test } from 'vitest'
import { slos } from '../../../functions/slos/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let other: Governed
beforeAll(async () => {
  acme = await governed(local)
  other = await governed(local)
})

const SLI = { metric: 'execution_success' }
const create = async (body: object = {}) =>
  bodyOf(await acme.call(slos.create, { body: { name: 'Runs', sli: SLI, target_percent: 99, ...body } }), 201)
const list = async (of: Governed = acme) => bodyOf(await of.call(slos.list), 200)

const OPEN_SLO = {
  apiVersion: 'openslo/v1',
  kind: 'SLO',
  metadata: { name: 'payments-succeed', displayName: 'Payments succeed' },
  spec: {
    description: 'Payments that were carried out.',
    service: 'payments',
    indicator: {
      metadata: { name: 'payments-sli' },
      spec: { ratioMetric: { counter: true, good: source({}), total: source({}) } },
    },
    timeWindow: [{ duration: '4w', isRolling: true }],
    budgetingMethod: 'Occurrences',
    objectives: [{ displayName: 'Payments', target: 0.995 }],
  },
}

function source(more: object) {
  return { metricSource: { type: 'countersign', spec: { metric: 'execution_success', ...more } } }
}

describe('GET /api/v1/operations/slos', () => {
  test('200: a new tenant has the two built-in objectives and no data', async () => {
    const { items } = await list(other)

    expect(items).toMatchObject([
      { name: 'api-availability', target_percent: 99.9, built_in: true, version: 1, status: 'no_data' },
      { name: 'governance-latency', target_percent: 95, sli: { threshold_ms: 200 }, built_in: true },
    ])
  })
})

describe('POST /api/v1/operations/slos', () => {
  test('201: an objective has defaults, evidence and its own place', async () => {
    const slo = await create()

    expect(slo).toMatchObject({
      id: expect.stringMatching(/^slo_/),
      measurement_window: 'rolling-28d',
      min_events: 100,
      alerting: { page: true, ticket: true },
      built_in: false,
      version: 1,
      created_by: { type: 'api_key' },
    })
    expect((await list()).items.map(({ id }: { id: string }) => id)).toContain(slo.id)
  })

  test.each([
    ['a latency that is no edge', { sli: { metric: 'governance_latency', threshold_ms: 180 } }, 'threshold_ms'],
    ['a threshold of something else', { sli: { ...SLI, threshold_ms: 200 } }, 'threshold_ms'],
    ['a filter that nobody counts', { sli: { metric: 'api_availability', filter: { tier: 'HARD' } } }, 'filter'],
    ['a custom metric without its name', { sli: { metric: 'custom' } }, 'name'],
    ['a target of 100 percent', { target_percent: 100 }, 'target_percent'],
    ['a window that does not roll', { measurement_window: 'calendar-30d' }, 'measurement_window'],
  ])('422: %s', async (_, body, member) => {
    const reply = await acme.call(slos.create, { body: { name: 'Runs', sli: SLI, target_percent: 99, ...body } })

    expect(reply.status).toBe(422)
    expect(JSON.stringify(reply.body.detail)).toContain(member)
  })

  test('409: a tenant makes at most twenty', async () => {
    const many = await governed(local)
    const post = () => many.call(slos.create, { body: { name: 'Runs', sli: SLI, target_percent: 99 } })
    const statuses = (await Promise.all(Array.from({ length: 25 }, post))).map(({ status }) => status)

    expect(statuses.filter((status) => status === 201)).toHaveLength(20)
    expect(statuses.filter((status) => status === 409)).toHaveLength(5)
  })
})

describe('OpenSLO', () => {
  test('201: a document becomes an objective, and comes back as one that says the same', async () => {
    const slo = bodyOf(await acme.call(slos.create, { body: OPEN_SLO }), 201)
    expect(slo).toMatchObject({
      name: 'Payments succeed',
      target_percent: 99.5,
      measurement_window: 'rolling-28d',
      sli: SLI,
    })

    const document = bodyOf(await acme.call(slos.get, { params: { id: slo.id }, query: { format: 'openslo' } }), 200)
    expect(document).toMatchObject({
      metadata: { name: 'payments-succeed', displayName: 'Payments succeed' },
      spec: { timeWindow: [{ duration: '28d', isRolling: true }], objectives: [{ targetPercent: 99.5 }] },
    })
    const again = bodyOf(await acme.call(slos.create, { body: document }), 201)
    const { id, created_at, updated_at, ...members } = again
    expect(slo).toMatchObject(members)
  })

  test('201: what the document says for people and for other tools comes back, also after a change', async () => {
    const labels = { team: ['payments', 'core'], env: 'prod' }
    const document = {
      ...OPEN_SLO,
      metadata: { ...OPEN_SLO.metadata, labels, annotations: { 'example.com/runbook': 'https://example.com/r' } },
      spec: {
        ...OPEN_SLO.spec,
        indicator: { ...OPEN_SLO.spec.indicator, metadata: { name: 'payments-sli', labels, annotations: { a: 'b' } } },
      },
    }
    const { id } = bodyOf(await acme.call(slos.create, { body: document }), 201)
    const exported = async () =>
      bodyOf(await acme.call(slos.get, { params: { id }, query: { format: 'openslo' } }), 200)
    expect(await exported()).toEqual({
      ...document,
      spec: {
        ...document.spec,
        timeWindow: [{ duration: '28d', isRolling: true }],
        objectives: [{ displayName: 'Payments', targetPercent: 99.5 }],
      },
    })

    const change = { name: 'Paid', min_events: 7, alerting: { page: false, ticket: true } }
    bodyOf(await acme.call(slos.update, { params: { id }, body: change }), 200)
    const after = await exported()
    expect(after.metadata).toEqual({
      name: 'payments-succeed',
      displayName: 'Paid',
      labels,
      annotations: {
        'example.com/runbook': 'https://example.com/r',
        'countersign/min-events': '7',
        'countersign/alerting-page': 'false',
      },
    })
    expect(bodyOf(await acme.call(slos.create, { body: after }), 201)).toMatchObject(change)
  })

  test('201: every objective that the service has comes back in from its document', async () => {
    const maker = await governed(local)
    const body = { name: 'Größe!', sli: { ...SLI, filter: { tier: 'HARD' } }, target_percent: 99.999, min_events: 1 }
    bodyOf(await maker.call(slos.create, { body }), 201)
    for (const { id, sli, target_percent, min_events, name } of (await list(maker)).items) {
      const document = bodyOf(await maker.call(slos.get, { params: { id }, query: { format: 'openslo' } }), 200)
      const again = bodyOf(await maker.call(slos.create, { body: document }), 201)
      expect(again).toMatchObject({ sli, target_percent, min_events, name })
    }
  })

  test.each([
    ['another version', { ...OPEN_SLO, apiVersion: 'openslo/v2alpha' }, [['body', 'apiVersion']]],
    ['another kind', { ...OPEN_SLO, kind: 'Service' }, [['body', 'kind']]],
    ['our members beside a version', { name: 'a', sli: SLI, target_percent: 9, ...OPEN_SLO }, 3],
    [
      'a target of nothing',
      { ...OPEN_SLO, spec: { ...OPEN_SLO.spec, objectives: [{ target: 0 }] } },
      [['body', 'spec', 'objectives']],
    ],
    [
      'an annotation of ours that is no number',
      { ...OPEN_SLO, metadata: { name: 'a', annotations: { 'countersign/min-events': 'x' } } },
      [['body', 'metadata', 'annotations', 'countersign/min-events']],
    ],
    [
      'a label that is no text',
      { ...OPEN_SLO, metadata: { name: 'a', labels: { team: 1 } } },
      [['body', 'metadata', 'labels', 'team']],
    ],
  ])('422: %s is refused at its place in the document', async (_, body, places) => {
    const { status, body: answer } = await acme.call(slos.create, { body })

    expect(status).toBe(422)
    const locs = answer.detail.map(({ loc }: { loc: unknown }) => loc)
    if (typeof places === 'number') expect(locs).toHaveLength(places)
    else expect(locs).toEqual(places)
  })

  test('400: a document of which members are missing names those of OpenSLO', async () => {
    const { status, body } = await acme.call(slos.create, { body: { apiVersion: 'openslo/v1', kind: 'SLO' } })

    expect(status).toBe(400)
    expect(body.errors.map(({ loc }: { loc: unknown }) => loc)).toEqual([
      ['body', 'metadata'],
      ['body', 'spec'],
    ])
  })

  const spec = (change: object) => ({ ...OPEN_SLO, spec: { ...OPEN_SLO.spec, ...change } })
  const ratio = (good: object, total: object) => ({
    indicator: { ...OPEN_SLO.spec.indicator, spec: { ratioMetric: { counter: true, good, total } } },
  })
  test.each([
    ['two objectives', spec({ objectives: [{ target: 0.9 }, { target: 0.8 }] }), 'objectives'],
    ['target and targetPercent', spec({ objectives: [{ target: 0.9, targetPercent: 90 }] }), 'objectives'],
    ['another budgeting method', spec({ budgetingMethod: 'Timeslices' }), 'budgetingMethod'],
    ['a calendar window', spec({ timeWindow: [{ duration: '28d', isRolling: false }] }), 'isRolling'],
    ['different good and total', spec(ratio(source({}), source({ name: 'x' }))), 'total'],
    ['an indicator that needs a name', spec(ratio(source({ metric: 'custom' }), source({ metric: 'custom' }))), 'name'],
    ['a name that RFC 1123 does not know', { ...OPEN_SLO, metadata: { name: 'Payments!' } }, 'name'],
    ['what the service does not keep', spec({ alertPolicies: [] }), 'alertPolicies'],
  ])('422: %s', async (_, body, member) => {
    const reply = await acme.call(slos.create, { body })

    expect(reply.status).toBe(422)
    expect(JSON.stringify(reply.body.detail)).toContain(member)
  })
})

describe('PATCH and DELETE /api/v1/operations/slos/{id}', () => {
  test('200: a change makes the next version; the former one is a 409', async () => {
    const { id } = await create()
    const change = (body: object) => acme.call(slos.update, { params: { id }, body })

    expect(bodyOf(await change({ target_percent: 95, version: 1 }), 200)).toMatchObject({
      target_percent: 95,
      version: 2,
    })
    expect(await change({ target_percent: 90, version: 1 })).toMatchObject({
      status: 409,
      body: { code: 'version_conflict' },
    })
  })

  test('200: a built-in objective can be changed, and is then the tenant’s own', async () => {
    const [given] = (await list()).items
    const changed = bodyOf(
      await acme.call(slos.update, { params: { id: given.id }, body: { target_percent: 99, version: 1 } }),
      200,
    )

    expect(changed).toMatchObject({ id: given.id, built_in: true, version: 2, target_percent: 99 })
    expect((await list()).items[0]).toMatchObject({ target_percent: 99, version: 2 })
    expect((await list(other)).items[0]).toMatchObject({ target_percent: 99.9, version: 1 })
    expect(await acme.call(slos.delete, { params: { id: given.id } })).toMatchObject({ status: 409 })
  })

  test('204: a deleted objective makes room for another one', async () => {
    const { id } = await create()

    expect((await acme.call(slos.delete, { params: { id } })).status).toBe(204)
    expect((await acme.call(slos.get, { params: { id } })).status).toBe(404)
    expect((await acme.call(slos.delete, { params: { id } })).status).toBe(404)
  })

  test('404: another tenant’s objective looks like a missing one', async () => {
    const { id } = await create()

    for (const row of [slos.get, slos.errorBudget, slos.delete]) {
      expect(await other.call(row, { params: { id } })).toMatchObject({
        status: 404,
        body: { detail: 'SLO not found' },
      })
    }
    expect((await other.call(slos.update, { params: { id }, body: { target_percent: 1 } })).status).toBe(404)
  })
})
