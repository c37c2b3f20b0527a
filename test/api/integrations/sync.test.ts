import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { integrations } from '../../../functions/integrations/routes.ts'
import { handler as sync } from '../../../functions/workers/sync.ts'
import { CATALOGUE } from '../../../shared/deliver/integrations/catalogue/catalogue.ts'
import {
  hasPastRecords,
  recordsPartition,
  removePastRecords,
  syncedRecords,
} from '../../../shared/deliver/integrations/sync/record.ts'
import { openPayload, payloadBytes } from '../../../shared/ledger/sealing/seal.ts'
import { TOTAL, usageSums } from '../../../shared/ledger/usage/usage-item.ts'
import { removals, runRemoval, sweepRemoval } from '../../../shared/deliver/integrations/sync/removal.ts'
import { PLAN_FACTS } from '../../../shared/base/limits/plans.ts'
import { freshTenant } from '../../../shared/base/tenant/find.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { consent } from '../../support/consent.ts'
import { faults } from '../../support/faults.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { heldCommit } from '../../support/held-commit.ts'
import { json, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const process = faults()
const held = heldCommit()
const local = useLocalStack({ plugins: [process.plugin, held.plugin] })
let acme: Governed
beforeEach(async () => {
  acme = await governed(local)
  local.connect.account.size = 230
  local.connect.account.changed = new Set()
})

async function connect(id: string, params?: object) {
  const body = params ? { params } : {}
  const { auth_url } = bodyOf(await acme.call(integrations.startAuth, { params: { id }, body }), 200)
  const { code, state } = await consent(auth_url)
  return bodyOf(await acme.call(integrations.completeAuth, { params: { id }, body: { code, state } }), 200)
}

const start = (id: string, body: object = {}) => acme.call(integrations.sync, { params: { id }, body })
const look = async (id: string, job_id: string) =>
  bodyOf(await acme.call(integrations.getSync, { params: { id, job_id } }), 200)

/** To its end, past the waits that the provider asks for. */
async function synced(id: string, body: object = {}) {
  const { job_id } = bodyOf(await start(id, body), 202)
  for (let turn = 0; turn < 30; turn += 1) {
    await local.drain()
    const job = await look(id, job_id)
    if (job.ended_at !== null) return job
    await local.advance(2_000)
  }
  throw new Error('the run does not end')
}

const copies = (connection_id: string, model: string) =>
  acme.ctx.table.query(syncedRecords, { pk: recordsPartition({ ...acme.ctx.space, connection_id, model }) })

const bytesCounted = async () =>
  (await acme.ctx.table.get(usageSums, { ...acme.ctx.space, sk: TOTAL }))?.storage_bytes ?? 0

describe('a sync', () => {
  test.for(CATALOGUE.map(({ id }) => id))('copies every list of %s, each record once', async (id) => {
    const { connection_id } = await connect(id, id === 'zendesk' ? { subdomain: 'example' } : undefined)
    const models = CATALOGUE.find((one) => one.id === id)?.models ?? []
    const job = await synced(id)
    expect(job).toMatchObject({
      status: 'completed',
      progress: { added: 230 * models.length, updated: 0, deleted: 0, unchanged: 0, pages: 3 * models.length },
    })
    for (const { name } of models) expect(await copies(connection_id, name)).toHaveLength(230)
  })

  test('again tells what changed, and a full one what is gone', async () => {
    const { connection_id } = await connect('hubspot')
    await synced('hubspot')
    local.connect.account.changed = new Set([3, 200])
    expect((await synced('hubspot')).progress).toMatchObject({ added: 0, updated: 2, deleted: 0, unchanged: 228 })
    local.connect.account.size = 120
    const told = await acme.told(async () =>
      expect((await synced('hubspot', { mode: 'full' })).progress).toMatchObject({ deleted: 110, unchanged: 120 }),
    )
    expect(told).toContainEqual(
      expect.objectContaining({
        type: 'integration.sync.completed',
        data: expect.objectContaining({ status: 'completed', records_deleted: 110 }),
      }),
    )
    expect(await copies(connection_id, 'contacts')).toHaveLength(120)
  })

  test('asks for what changed since, where the provider knows', async () => {
    await connect('gitlab')
    await synced('gitlab', { models: ['issues'] })
    local.connect.account.changed = new Set([7])
    expect((await synced('gitlab', { models: ['issues'] })).progress).toMatchObject({ updated: 1, unchanged: 0 })
  })

  test('keeps copies as long as the plan says after it saw them, and no longer', async () => {
    const { connection_id } = await connect('hubspot')
    await synced('hubspot', { models: ['contacts'] })
    const [first] = await copies(connection_id, 'contacts')
    const { tenant_id } = acme.ctx.space
    const days = PLAN_FACTS[(await freshTenant(acme.ctx.table, tenant_id)).plan].quotas.evidence_retention_days
    const end = Date.parse(first?.kept_until ?? '')
    expect(Math.round((end - local.clock.now()) / 86_400_000)).toBe(days)
    const at = (now: number) => ({ ...acme.ctx, now: () => now })
    await removePastRecords(at(end - 60_000))
    expect(await copies(connection_id, 'contacts')).toHaveLength(230)
    local.connect.account.size = 1
    await local.advance(3_600_000)
    await synced('hubspot', { models: ['contacts'] })
    expect(await hasPastRecords(at(end + 60_000))).toBe(true)
    await removePastRecords(at(end + 60_000))
    const left = await copies(connection_id, 'contacts')
    expect(left).toHaveLength(1)
    expect(await bytesCounted()).toBe(left.reduce((sum, { sealed }) => sum + payloadBytes(sealed), 0))
  })

  test('keeps contents sealed', async () => {
    const { connection_id } = await connect('hubspot')
    await synced('hubspot')
    const [first] = await copies(connection_id, 'contacts')
    if (!first) throw new Error('no record')
    expect(Buffer.from(first.sealed).toString('latin1')).not.toContain('example.com')
    const { payload } = await openPayload(first, syncedRecords.key(first), 'sealed', first.sealed)
    expect(payload).toMatchObject({ id: first.external_id })
  })

  test('of the test mode copies samples and calls nobody', async () => {
    const sandbox = await governed(local, undefined, { mode: 'test' })
    const call = (row: 'startAuth' | 'completeAuth' | 'sync', body: object) =>
      sandbox.call(integrations[row], { params: { id: 'slack' }, body })
    const { auth_url, state } = bodyOf(await call('startAuth', {}), 200)
    bodyOf(await call('completeAuth', { code: new URL(auth_url).searchParams.get('code') ?? '', state }), 200)
    const before = local.connect.calls().length
    const { job_id } = bodyOf(await call('sync', { models: ['users'] }), 202)
    await local.drain()
    const job = await sandbox.call(integrations.getSync, { params: { id: 'slack', job_id } })
    expect(job.body).toMatchObject({ status: 'completed', progress: { added: 25 } })
    expect(local.connect.calls()).toHaveLength(before)
  })

  test('is refused for what is not there', async () => {
    expect((await start('jira')).status).toBe(409)
    await connect('jira')
    expect((await start('jira', { models: ['unknown'] })).status).toBe(422)
    const running = await start('jira')
    expect((await start('jira')).status).toBe(409)
    const other = await governed(local)
    const { job_id } = bodyOf(running, 202)
    for (const [by, id] of [
      [other, 'jira'],
      [acme, 'slack'],
    ] as const)
      expect((await by.call(integrations.getSync, { params: { id, job_id } })).status).toBe(404)
  })

  test('ends with the connection, whose records go', async () => {
    const { connection_id } = await connect('hubspot')
    await synced('hubspot')
    const { job_id } = bodyOf(await start('hubspot'), 202)
    bodyOf(await acme.call(integrations.disconnect, { params: { id: 'hubspot' }, body: {} }), 200)
    await local.drain()
    expect(await look('hubspot', job_id)).toMatchObject({ status: 'partial', error_code: 'connection_inactive' })
    expect(await copies(connection_id, 'contacts')).toEqual([])
  })
})

describe('a provider', () => {
  let provider: TestTarget
  let clients: object
  let connection_id: string
  beforeEach(async () => {
    provider = await startTarget()
    clients = { ...local.connect.clients }
    const { origin } = new URL(provider.url)
    local.providers['connectors'] = { ...clients, hubspot: { client_id: 'c', client_secret: 's', origin } }
    coldStart()
    const params = { id: 'hubspot' }
    const { state } = bodyOf(await acme.call(integrations.startAuth, { params, body: {} }), 200)
    provider.next(json(200, { access_token: 'a', token_type: 'bearer' }))
    const body = { code: 'agreed', state }
    connection_id = bodyOf(await acme.call(integrations.completeAuth, { params, body }), 200).connection_id
  })
  afterEach(async () => {
    local.providers['connectors'] = clients
    coldStart()
    await provider.stop()
  })

  const page = (from: number, after?: string) =>
    json(200, { results: [{ id: from }, { id: from + 1 }], ...(after && { paging: { next: { after } } }) })
  const asked = () => provider.calls.filter(({ path }) => path.startsWith('/api/')).map(({ path }) => path)
  const begun = async (mode = 'incremental'): Promise<string> => {
    const { job_id } = bodyOf(await start('hubspot', { models: ['contacts'], mode }), 202)
    await local.drain()
    return job_id
  }

  test('that asks to wait is waited for, and the run shows how far it is', async () => {
    provider.next(page(1, '2'), json(429, {}, { 'retry-after': '120' }), page(3))
    const id = await begun()
    expect(await look('hubspot', id)).toMatchObject({ status: 'running', progress: { added: 2, pages: 1 } })
    await local.advance(110_000)
    expect(asked()).toHaveLength(2)
    await local.advance(20_000)
    expect(await look('hubspot', id)).toMatchObject({ status: 'completed', progress: { added: 4, pages: 2 } })
    expect(asked().map((path) => new URL(path, provider.url).searchParams.get('after'))).toEqual([null, '2', '2'])
  })

  test('that asks to wait for ever ends the run with what it has copied', async () => {
    provider.next(page(1, '2'), ...Array.from({ length: 30 }, () => json(503, {}, { 'retry-after': '1' })))
    const id = await begun()
    for (let turn = 0; turn < 21; turn += 1) await local.advance(2_000)
    expect(await look('hubspot', id)).toMatchObject({
      status: 'partial',
      error_code: 'rate_limited',
      progress: { added: 2 },
    })
    expect(asked()).toHaveLength(22)
  })

  test('that asks to wait before each page is waited for as long as pages come', async () => {
    const pages = Array.from({ length: 22 }, (_, n) => page(2 * n, n === 21 ? undefined : `${n + 1}`))
    provider.next(...pages.flatMap((one) => [json(429, {}, { 'retry-after': '1' }), one]))
    const id = await begun()
    for (let turn = 0; turn < 22; turn += 1) await local.advance(2_000)
    expect(await look('hubspot', id)).toMatchObject({ status: 'completed', progress: { added: 44, pages: 22 } })
  })

  test('that fails in the midst of a full run takes away no copy; the next that sees the whole list does', async () => {
    provider.next(page(1, '2'), page(3))
    await begun('full')
    const full = async () => {
      const { status, progress } = await look('hubspot', await begun('full'))
      return [status, progress.deleted, (await copies(connection_id, 'contacts')).length]
    }
    provider.next(page(1, '2'), json(404, {}))
    expect(await full()).toEqual(['partial', 0, 4])
    provider.next(json(404, {}))
    expect(await full()).toEqual(['failed', 0, 4])
    provider.next(page(1))
    expect(await full()).toEqual(['completed', 2, 2])
  })

  test.for([
    ['404', json(404, {}), 'failed', 'http_404'],
    ['no list', json(200, { results: 'none' }), 'failed', 'invalid_answer'],
    ['401', json(401, {}), 'partial', 'needs_reauth'],
  ] as const)('that answers %s ends the run', async ([, behaviour, status, error_code]) => {
    provider.next(behaviour)
    expect(await look('hubspot', await begun())).toMatchObject({ status, error_code })
  })
})

test('of a connection that ends while a page is read, nothing stays, whatever is lost', async () => {
  const { connection_id } = await connect('hubspot')
  const { job_id } = bodyOf(await start('hubspot'), 202)
  const page = held.hold(`REC#${connection_id}`)
  const running = sync({ Records: [{ messageId: 'm', body: JSON.stringify({ ...acme.ctx.space, id: job_id }) }] })
  const letGo = await page
  bodyOf(await acme.call(integrations.disconnect, { params: { id: 'hubspot' }, body: {} }), 200)
  await runRemoval(acme.ctx, connection_id)
  letGo()
  await running
  expect((await copies(connection_id, 'contacts')).length).toBeGreaterThan(0)
  expect(await look('hubspot', job_id)).toMatchObject({ status: 'partial', error_code: 'connection_inactive' })
  const removal = await acme.ctx.table.get(removals, { ...acme.ctx.space, connection_id })
  local.clock.moveTo(Date.parse(removal?.due_at ?? ''))
  await sweepRemoval(acme.ctx, connection_id)
  await local.drain()
  expect(await copies(connection_id, 'contacts')).toEqual([])
  expect(await bytesCounted()).toBe(0)
  expect(await acme.ctx.table.get(removals, { ...acme.ctx.space, connection_id })).toBeUndefined()
})

test('a worker that dies between any two writes loses and doubles nothing', async () => {
  const { connection_id } = await connect('hubspot')
  await synced('hubspot')
  local.connect.account.changed = new Set([1, 150])
  local.connect.account.size = 210
  const { job_id } = bodyOf(await start('hubspot', { mode: 'full' }), 202)
  const message = { ...acme.ctx.space, id: job_id }
  for (let commits = 0; commits < 100; commits += 1) {
    process.die({ at: 2, command: 'TransactWriteItemsCommand', lost: commits % 2 === 1 })
    await sync({ Records: [{ messageId: 'm', body: JSON.stringify(message) }] })
    process.restart()
    if ((await look('hubspot', job_id)).ended_at !== null) break
  }
  expect(await look('hubspot', job_id)).toMatchObject({
    status: 'completed',
    progress: { added: 0, updated: 2, unchanged: 208, deleted: 20 },
  })
  const left = await copies(connection_id, 'contacts')
  expect(left).toHaveLength(210)
  expect(await bytesCounted()).toBe(left.reduce((sum, { sealed }) => sum + payloadBytes(sealed), 0))
  await local.drain()
  bodyOf(await acme.call(integrations.disconnect, { params: { id: 'hubspot' }, body: {} }), 200)
  await Promise.all([runRemoval(acme.ctx, connection_id), runRemoval(acme.ctx, connection_id)])
  expect(await bytesCounted()).toBe(0)
  await local.drain()
})
