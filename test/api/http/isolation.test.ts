// What one tenant, or one of its two modes, has is for every other like nothing at all.
import { beforeAll, describe, expect, test } from 'vitest'
import { agent } from '../../../functions/agent/routes.ts'
import { alerts } from '../../../functions/alerts/routes.ts'
import { incidents } from '../../../functions/incidents/routes.ts'
import { integrations } from '../../../functions/integrations/routes.ts'
import { training } from '../../../functions/training/routes.ts'
import { slos } from '../../../functions/slos/routes.ts'
import { alerts as stored } from '../../../shared/operate/alerts/alert.ts'
import { allowlist } from '../../../functions/allowlist/routes.ts'
import { clients } from '../../../functions/clients/routes.ts'
import { compliance } from '../../../functions/compliance/routes.ts'
import { domains } from '../../../functions/domains/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { keys } from '../../../functions/keys/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { learning } from '../../../functions/learning/routes.ts'
import { roles } from '../../../functions/roles/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { work } from '../../../functions/work/routes.ts'
import { checkResults } from '../../../shared/assure/checks/check-result.ts'
import { systemContext } from '../../../shared/base/context.ts'
import type { Route } from '../../../shared/base/wire/route.ts'
import { newDelivery } from '../../../shared/deliver/webhooks/delivery-rules.ts'
import { deliveries } from '../../../shared/deliver/webhooks/delivery.ts'
import {
  type AnyCall,
  anyRoute,
  bodyOf,
  ends,
  forPersons,
  manifest,
  noneInSandbox,
  paramsOf,
  restricted,
  variablesOf,
} from '../../support/any-route.ts'
import { routingUpdates } from '../../../shared/learn/routing/update.ts'
import { grants } from '../../../shared/govern/approvals/grants/grant.ts'
import { delegations } from '../../../shared/govern/delegations/delegation.ts'
import { datasets } from '../../../shared/learn/datasets/dataset.ts'
import { newAlert } from '../../support/alert.ts'
import { newRoutingUpdate } from '../../support/routing-update.ts'
import { registered } from '../../support/model.ts'
import { newDelegationOf } from '../../support/delegation.ts'
import { newGrantOf } from '../../support/grant.ts'
import { newDataset } from '../../support/dataset.ts'
import { newJob } from '../../support/job.ts'
import { newAbTest } from '../../support/ab-test.ts'
import { abTests } from '../../../shared/learn/experiments/ab-test.ts'
import { newSync } from '../../support/connector.ts'
import { syncJobs } from '../../../shared/deliver/integrations/sync/job.ts'
import { jobs } from '../../../shared/learn/jobs/job.ts'
import { namesOf } from '../../../shared/govern/manifests/tool-names.ts'
import { withoutIds } from '../../support/error-body.ts'
import { enrolTotp } from '../../support/factors.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { openerOf, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const CANARY = 'canary-4f1d'

const local = useLocalStack()
let acme: TestTenant
let other: TestTenant
let call: AnyCall
/** They come with the service: every tenant has them, each with what it has set of its own. */
const OF_SERVICE: ReadonlySet<string> = new Set(['framework', 'control', 'check', 'persona'])
/** Ids of things that acme has in live mode, by the name of the resource. */
let ids: Record<string, string>

beforeAll(async () => {
  ;[acme, other] = await Promise.all([local.tenant(), local.tenant()])
  call = anyRoute(local.call)
  ids = await furnish(acme)
})

async function furnish({ tenant_id, owner, approver, call: as }: TestTenant): Promise<Record<string, string>> {
  const made = manifest('1.0.0', `${CANARY}.contacts.editor`)
  await as(protocol.registerManifest, { body: { manifest: made } })
  const execute = (action_id: string) =>
    as(protocol.execute, { body: { node_id: made.node.id, action_id, payload: { note: CANARY } } })
  const [soft, held] = [await execute('update_contact'), await execute('delete_contact')]
  const task = await as(agent.execute, { body: { tier: 'HARD', command: `delete ${CANARY}` } })
  const hook = await as(webhooks.create, { body: { ...bodyOf(webhooks.create), name: CANARY } })
  const policy = await as(security.savePolicy, {
    params: { tenant_id },
    body: {
      ...bodyOf(security.savePolicy),
      limit: { measure: 'count', max: 9, window: '1h' },
      name: CANARY,
      enabled: false,
    },
  })
  await as(security.saveCalendar, {
    params: { tenant_id, name: CANARY },
    body: { ...bodyOf(security.saveCalendar), note: CANARY },
  })
  const exported = await as(evidence.createExport, { body: {} })
  const erasure = await as(evidence.erase, { body: { data_subject: 'customer-1', reason: 'on_request' } })
  const submitted = await as(compliance.submitEvidence, {
    params: { tenant_id },
    body: { ...bodyOf(compliance.submitEvidence), title: CANARY },
  })
  await as(compliance.updateControl, {
    params: { tenant_id, id: 'soc2', control_key: 'cc6.1' },
    body: { note: CANARY },
  })
  await found(tenant_id)
  const persona = { ...bodyOf(training.updatePersona), tier_ceiling: 'HARD', display_name: CANARY }
  await as(training.updatePersona, { params: { persona_key: 'default' }, body: persona })
  await as(learning.run, { body: {} })
  const run = await as(compliance.startRun, { params: { tenant_id }, body: {} })
  const rule = await as(allowlist.create, { params: { tenant_id }, body: { cidr: '127.0.0.0/8', description: CANARY } })
  await as(domains.request, { params: { tenant_id }, body: { domain: `${CANARY}.example` } })
  await as(roles.create, { body: { name: `${CANARY}-role`, permissions: ['webhooks:read'] } })
  const client = await as(clients.create, { body: { ...bodyOf(clients.create), name: CANARY } })
  const person = { type: 'human', name: CANARY, user_id: approver.id }
  const worker = await as(work.registerWorker, { body: person })
  const slo = await as(slos.create, { body: { ...bodyOf(slos.create), name: CANARY } })
  const alertRule = await as(alerts.createRule, {
    params: { tenant_id },
    body: { ...bodyOf(alerts.createRule), name: CANARY },
  })
  await as(integrations.createConnector, {
    body: { ...bodyOf(integrations.createConnector), id: CANARY.toLowerCase(), name: CANARY },
  })
  const freeze = await as(security.setFreeze, {
    params: { tenant_id },
    body: { scope: { node_ids: [made.node.id] }, reason: CANARY },
  })
  const incident = await as(incidents.create, { body: { ...bodyOf(incidents.create), title: CANARY } })
  return {
    node: made.node.id,
    tool: namesOf({ node_id: made.node.id, action_id: 'update_contact' })[0] ?? '',
    worker: worker.body.id,
    SLO: slo.body.id,
    'alert rule': alertRule.body.id,
    alert: await alerted(tenant_id),
    incident: incident.body.id,
    connector: CANARY.toLowerCase(),
    'A/B test': await madeTest(tenant_id),
    'sync job': await madeSync(tenant_id),
    'OAuth client': client.body.client_id,
    application: client.body.client_id,
    user: approver.id,
    role: `${CANARY}-role`,
    calendar: CANARY,
    freeze: freeze.body.id,
    'API key': (await as(keys.list)).body.items[0].id,
    'allowlist rule': rule.body.id,
    execution: soft.body.receipt.request_id,
    approval: held.body.approval.id,
    grant: await madeGrant(tenant_id),
    delegation: await madeDelegation(tenant_id),
    task: task.body.task_id,
    artifact: soft.body.receipt.evidence_artifact_id,
    policy: policy.body.policy_id,
    'webhook endpoint': hook.body.id,
    delivery: await delivered(tenant_id, hook.body.id),
    export: exported.body.export_id,
    erasure: erasure.body.id,
    'submitted evidence': submitted.body.id,
    'check run': run.body.id,
    dataset: await madeDataset(tenant_id),
    'training job': await madeJob(tenant_id),
    model: (await registered(systemContext({ tenant_id, mode: 'live' }), { name: CANARY.toLowerCase() })).id,
    'routing update': await proposedUpdate(tenant_id),
    session: (await signIn(local, approver)).claims.origin_jti,
    factor: (await enrolTotp(local, await signIn(local, owner))).factor_id,
  }
}

/** What a check names as a run would have stored it. */
async function found(tenant_id: string): Promise<void> {
  const at = '2026-11-20T10:00:00.000Z'
  const finding = { status: 'fail', detail: CANARY, numerator: 0, denominator: 1, failing_count: 1 } as const
  const of = { tenant_id, mode: 'live', check_id: 'GOV-01', version: 1, run_id: 'run_1' } as const
  const result = { ...of, ...finding, failing_ids: [CANARY], evaluated_at: at, changed_at: at }
  await systemContext(of).table.commit([checkResults.insert(result)])
}

/** An alert as a look at its rule would have stored it. */
async function alerted(tenant_id: string): Promise<string> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const alert = newAlert(ctx, { title: CANARY })
  await ctx.table.commit([stored.insert(alert)])
  return alert.id
}

async function proposedUpdate(tenant_id: string): Promise<string> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const update = newRoutingUpdate(ctx, { rationale: CANARY })
  await ctx.table.commit([routingUpdates.insert(update)])
  return update.id
}

async function madeTest(tenant_id: string): Promise<string> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const made = newAbTest(ctx, { name: CANARY })
  await ctx.table.commit([abTests.insert(made)])
  return made.id
}

/** Of the connector with the same id. */
async function madeSync(tenant_id: string): Promise<string> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const id = CANARY.toLowerCase()
  await ctx.table.commit([syncJobs.insert(newSync(ctx, { id, connector_id: id }))])
  return id
}

async function madeGrant(tenant_id: string): Promise<string> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const grant = newGrantOf(ctx, { node_id: CANARY })
  await ctx.table.commit([grants.insert(grant)])
  return grant.id
}

async function madeDelegation(tenant_id: string): Promise<string> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const delegation = newDelegationOf(ctx, { reason: CANARY })
  await ctx.table.commit([delegations.insert(delegation)])
  return delegation.id
}

async function madeDataset(tenant_id: string): Promise<string> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const dataset = newDataset(ctx, { name: CANARY })
  await ctx.table.commit([datasets.insert(dataset)])
  return dataset.id
}

async function madeJob(tenant_id: string): Promise<string> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const job = newJob(ctx, { stage: CANARY })
  await ctx.table.commit([jobs.insert(job)])
  return job.id
}

/** A delivery as the fan-out would have stored it. */
async function delivered(tenant_id: string, endpoint_id: string): Promise<string> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const event = { id: ctx.id('evt'), type: 'action.approved' as const }
  const delivery = newDelivery(ctx.space, { event, position: 1, endpoint_id }, ctx.now())
  await ctx.table.commit([deliveries.insert(delivery)])
  return delivery.id
}

/** Credentials that must not see what acme has in live mode. */
const outsiders = async (route: Route) =>
  forPersons(route)
    ? [{ ...other, key: await openerOf(local, other, route) }]
    : [
        { ...other, key: other.live_key },
        { ...other, key: other.test_key },
        { ...acme, key: acme.test_key },
      ]

const named = (list: readonly Route[]) => list.map((route) => [`${route.method} ${route.path}`, route] as const)
/** Makes what is missing, under the name that the caller gives. */
const MAKING = 'security-save-calendar'

const withId = restricted.filter(
  (route) =>
    route.id !== MAKING &&
    variablesOf(route).some((name) => name !== 'tenant_id') &&
    !OF_SERVICE.has(route.resource ?? ''),
)

describe.each(named(withId))('%s', (_, route) => {
  test('a foreign id and a live id under a sandbox key differ in no byte from a missing one', async () => {
    const id = ids[route.resource ?? ''] ?? ''
    expect(id, `nothing was made for ${route.resource}`).not.toBe('')

    for (const { tenant_id, key } of await outsiders(route)) {
      const [theirs, missing] = [
        await call(route, { key, params: paramsOf(route, tenant_id, id) }),
        await call(route, { key, params: paramsOf(route, tenant_id) }),
      ]
      expect(theirs.status).toBe(noneInSandbox(route) && key.startsWith('ak_test_') ? 403 : 404)
      expect(withoutIds(theirs)).toEqual(withoutIds(missing))
    }
  })
})

test.each(named(withId.filter(({ method }) => method === 'GET')))('%s: its own tenant finds it', async (_, route) => {
  const id = ids[route.resource ?? ''] ?? ''
  const reply = await call(route, { key: acme.live_key, params: paramsOf(route, acme.tenant_id, id) })

  // What is there may still have to wait for its signature.
  expect([200, 409], JSON.stringify(reply.body)).toContain(reply.status)
})

const ofService = restricted.filter(({ method, resource = '' }) => method === 'GET' && OF_SERVICE.has(resource))

test.each(named(ofService))('%s: shows what a tenant has set to nobody else', async (_, route) => {
  const read = (key: string, tenant_id: string) =>
    call(route, {
      key,
      params: { tenant_id, id: 'soc2', control_key: 'cc6.1', check_id: 'GOV-01', persona_key: 'default' },
      query: {},
    })

  expect(JSON.stringify((await read(acme.live_key, acme.tenant_id)).body)).toContain(CANARY)
  for (const { tenant_id, key } of await outsiders(route)) {
    const theirs = await read(key, tenant_id)
    expect(theirs.status).toBe(200)
    expect(JSON.stringify(theirs.body)).not.toContain(CANARY)
  }
})

/** It names what its own tenant asked for and did not get, ids of others included. */
const AUDIT_LOG = 'security-audit-logs'

/** Shows one, and outsiders have none. */
const LATEST_SNAPSHOT = 'learning-latest'

const lists = restricted.filter(
  (route) =>
    route.id !== AUDIT_LOG &&
    route.method === 'GET' &&
    ends(route) &&
    variablesOf(route).every((name) => name === 'tenant_id'),
)

describe.each(named(lists))('%s', (_, route) => {
  test('shows nothing of another tenant or of the other mode', async () => {
    for (const { tenant_id, key } of await outsiders(route)) {
      const reply = await call(route, { key, params: paramsOf(route, tenant_id) })
      const text = JSON.stringify(reply.body) + JSON.stringify(reply.headers)

      const usual = route.id === LATEST_SNAPSHOT ? 404 : 200
      expect(reply.status, text).toBe(noneInSandbox(route) && key.startsWith('ak_test_') ? 403 : usual)
      for (const foreign of [CANARY, ...Object.values(ids)]) expect(text).not.toContain(foreign)
    }
  })
})

test('the lists show their own tenant what was made, so that their silence to others means something', async () => {
  const texts = await Promise.all(
    lists.map(async (route) =>
      JSON.stringify((await call(route, { key: acme.live_key, params: paramsOf(route, acme.tenant_id) })).body),
    ),
  )
  const all = texts.join('\n')

  for (const name of ['node', 'execution', 'approval', 'artifact', 'policy', 'webhook endpoint']) {
    expect(all, name).toContain(ids[name])
  }
})

test('ids of others in a body find nothing, either', async () => {
  const replay = (key: string, delivery_id: string) => local.call(webhooks.replay, { key, body: { delivery_id } })
  const [theirs, missing] = [
    await replay(other.live_key, ids.delivery ?? ''),
    await replay(other.live_key, 'dlv_missing'),
  ]

  expect(theirs.status).toBe(404)
  expect(withoutIds(theirs)).toEqual(withoutIds(missing))
})
