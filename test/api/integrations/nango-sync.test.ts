import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { integrations } from '../../../functions/integrations/routes.ts'
import { handler as sync } from '../../../functions/workers/sync.ts'
import { setTransport } from '../../../shared/base/lib/safe-http.ts'
import { coldStart } from '../../../shared/base/lib/memory.ts'
import { FORWARDED } from '../../../shared/deliver/integrations/nango/forward.ts'
import { syncJobs } from '../../../shared/deliver/integrations/sync/job.ts'
import { recordsPartition, removePastRecords, syncedRecords } from '../../../shared/deliver/integrations/sync/record.ts'
import { sweepSync } from '../../../shared/deliver/integrations/sync/sweep-sync.ts'
import { openPayload, payloadBytes } from '../../../shared/ledger/sealing/seal.ts'
import { TOTAL, usageSums } from '../../../shared/ledger/usage/usage-item.ts'
import { faults } from '../../support/faults.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { type Nango, signed, startNango } from '../../support/nango.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const process = faults()
const local = useLocalStack({ plugins: [process.plugin] })
const params = { id: 'hubspot' }
let acme: Governed
let nango: Nango
let id: string
let connection_id: string
let count = 0
beforeEach(async () => {
  acme = await governed(local)
  nango = await startNango()
  id = `nango-sync-${(count += 1)}`
  Object.assign(local.providers, nango.secrets)
  coldStart()
  nango.syncs.has('contacts', 'Contact')
  const { state } = bodyOf(await acme.call(integrations.startAuth, { params, body: {} }), 200)
  nango.agree(id)
  const body = { state, connection_id: id }
  connection_id = bodyOf(await acme.call(integrations.completeAuth, { params, body }), 200).connection_id
})
afterEach(async () => {
  delete local.providers['nango']
  coldStart()
  await nango.stop()
})

const begun = async (body: object = {}): Promise<string> => {
  const { job_id } = bodyOf(await acme.call(integrations.sync, { params, body }), 202)
  await local.drain()
  return job_id
}
const look = async (job_id: string) =>
  bodyOf(await acme.call(integrations.getSync, { params: { ...params, job_id } }), 200)

const bodyFor = (message: object, nangoId = id) =>
  JSON.stringify({ from: 'nango', connectionId: nangoId, providerConfigKey: params.id, ...message })

/** As Nango sends it. */
async function send(message: object, nangoId = id) {
  const body = bodyFor(message, nangoId)
  const url = `${local.apiUrl}/api/webhooks/nango`
  expect((await fetch(url, { method: 'POST', body, headers: signed(body) })).status).toBe(200)
  await local.drain()
}

const contacts = (from: number, to: number, more: object = {}) =>
  Array.from({ length: to - from + 1 }, (_, n) => ({ id: from + n, ...more }))
const copies = async (model = 'Contact') =>
  acme.ctx.table.query(syncedRecords, { pk: recordsPartition({ ...acme.ctx.space, connection_id, model }) })
const bytesCounted = async () =>
  (await acme.ctx.table.get(usageSums, { ...acme.ctx.space, sk: TOTAL }))?.storage_bytes ?? 0

/** What the sweeper does when it is due. */
async function lookAgain(job_id: string) {
  const job = await acme.ctx.table.get(syncJobs, { ...acme.ctx.space, id: job_id })
  local.clock.moveTo(Date.parse(job?.due_at ?? ''))
  await sweepSync(acme.ctx, job_id)
  await local.drain()
}

/** The runs that ended while something happened, as their events tell them. */
async function ended(happening: () => Promise<unknown>) {
  const told = await acme.told(happening)
  return told.filter(({ type }) => type === 'integration.sync.completed').map(({ data }) => data as { job_id: string })
}

describe('a list that Nango copies', () => {
  test('is asked for, waited for, and read once Nango tells, with its counts', async () => {
    const job_id = await begun()
    expect(nango.syncs.asked).toEqual([expect.objectContaining({ syncs: ['contacts'], connection_id: id })])
    expect(await look(job_id)).toMatchObject({ status: 'running', progress: { pages: 0 } })
    const word = nango.syncs.ran('contacts', { added: contacts(1, 230) })
    const ends = await ended(async () => {
      for (let times = 0; times < 2; times += 1) await send(word)
    })
    expect(ends).toEqual([expect.objectContaining({ job_id, status: 'completed', records_added: 230 })])
    expect(await look(job_id)).toMatchObject({ progress: { added: 230, updated: 0, deleted: 0, pages: 3 } })
    const all = await copies()
    expect(all).toHaveLength(230)
    const [first] = all
    if (!first) throw new Error('no record')
    const { payload } = await openPayload(first, syncedRecords.key(first), 'sealed', first.sealed)
    expect(payload).toEqual({ id: Number(first.external_id) })
  })

  test('is read from where the run before has ended, and what is gone goes', async () => {
    await begun()
    await send(nango.syncs.ran('contacts', { added: contacts(1, 5) }))
    await begun()
    await send(nango.syncs.ran('contacts', { updated: contacts(2, 3, { name: 'new' }), deleted: [5] }))
    expect(nango.syncs.reads).toEqual([null, '5'])
    const left = await copies()
    expect(left.map(({ external_id }) => external_id).toSorted()).toEqual(['1', '2', '3', '4'])
    expect(await bytesCounted()).toBe(left.reduce((sum, { sealed }) => sum + payloadBytes(sealed), 0))
  })

  test('is asked for from the beginning by a full run, which removes what Nango does not have', async () => {
    await begun()
    await send(nango.syncs.ran('contacts', { added: contacts(1, 5) }))
    const job_id = await begun({ mode: 'full' })
    expect(nango.syncs.asked.at(-1)?.opts).toEqual({ reset: true, emptyCache: true })
    await send(nango.syncs.ran('contacts', { added: contacts(1, 2) }))
    expect(await look(job_id)).toMatchObject({ status: 'completed' })
    expect(await copies()).toHaveLength(2)
  })

  test('that Nango fails to copy ends the run', async () => {
    const job_id = await begun()
    await send({ ...nango.syncs.ran('contacts', {}), success: false, error: { type: 'script_http_error' } })
    expect(await look(job_id)).toMatchObject({ status: 'failed', error_code: 'script_http_error' })
    expect((await acme.call(integrations.sync, { params, body: {} })).status).toBe(202)
  })

  test('is asked for again when no word comes, and then given up', async () => {
    const job_id = await begun()
    for (let looks = 0; looks < 6; looks += 1) {
      nango.syncs.ran('contacts', {}) // its word is lost
      await lookAgain(job_id)
    }
    expect(nango.syncs.asked.length).toBeGreaterThan(1)
    expect(await look(job_id)).toMatchObject({ status: 'failed', error_code: 'not_told' })
  })

  test('is waited for as long as Nango is at it', async () => {
    const job_id = await begun()
    for (let looks = 0; looks < 7; looks += 1) await lookAgain(job_id)
    expect(nango.syncs.asked).toHaveLength(1)
    await send(nango.syncs.ran('contacts', { added: contacts(1, 2) }))
    expect(await look(job_id)).toMatchObject({ status: 'completed', progress: { added: 2 } })
  })

  test('goes with the connection', async () => {
    await begun()
    await send(nango.syncs.ran('contacts', { added: contacts(1, 5) }))
    await send({ type: 'forward', payload: { n: 1 } })
    bodyOf(await acme.call(integrations.disconnect, { params, body: {} }), 200)
    await local.drain()
    expect([...(await copies()), ...(await copies(FORWARDED))]).toEqual([])
    expect(await bytesCounted()).toBe(0)
  })
})

test('a list that Nango does not copy is copied from the provider', async () => {
  nango.syncs.status = () => []
  const asked: string[] = []
  setTransport(async ({ url, headers }) => {
    asked.push(`${headers?.['authorization']} ${url}`)
    const body = Buffer.from(JSON.stringify({ results: contacts(1, 2) }))
    return { kind: 'answer', status: 200, headers: {}, body, body_end: 'whole', latency_ms: 1 }
  })
  try {
    const job_id = await begun()
    expect(await look(job_id)).toMatchObject({ status: 'completed', progress: { added: 2 } })
  } finally {
    setTransport()
  }
  expect(asked).toEqual([expect.stringMatching(/^Bearer token-of-\S+ https:\/\/api\.hubapi\.com\//)])
  expect(nango.syncs.asked).toEqual([])
})

describe('a run of Nango that nobody asked for', () => {
  test.for([
    ['that began nowhere', {}, true],
    ['from no checkpoint', { checkpoints: { from: null, to: { at: 1 } } }, true],
    ['from a checkpoint', { checkpoints: { from: { at: 1 }, to: { at: 2 } } }, false],
    ['of a webhook', { syncType: 'WEBHOOK' }, false],
  ] as const)('%s is recorded, as full or not', async ([, more, full]) => {
    await send(nango.syncs.ran('contacts', { added: contacts(1, 3) }))
    nango.syncs.trigger({ syncs: ['contacts'], opts: { reset: true, emptyCache: true } })
    const word = nango.syncs.ran('contacts', { updated: contacts(1, 1, { name: 'new' }) }, more)
    const [end] = await ended(() => send(word))
    expect(end).toMatchObject({ connection_id, status: 'completed', models: ['contacts'], records_updated: 1 })
    const job = await look(end?.job_id ?? '')
    expect(job).toMatchObject({ mode: full ? 'full' : 'incremental', queued_by: { type: 'system' } })
    expect(await copies()).toHaveLength(full ? 1 : 3)
  })

  test('and failed is recorded, too', async () => {
    const word = { ...nango.syncs.ran('contacts', {}), success: false, error: { type: 'no space\n' } }
    expect(await ended(() => send(word))).toEqual([
      expect.objectContaining({ status: 'failed', error_code: 'provider_error', records_added: 0 }),
    ])
  })

  test('waits while another run of the connector is under way', async () => {
    const job_id = await begun()
    nango.syncs.has('deals', 'Deal')
    await send(nango.syncs.ran('deals', { added: contacts(1, 2) }))
    expect(await copies('Deal')).toEqual([])
    await send(nango.syncs.ran('contacts', { added: contacts(1, 1) }))
    expect(await look(job_id)).toMatchObject({ status: 'completed', progress: { added: 1 } })
    await local.advance(61_000)
    expect(await copies('Deal')).toHaveLength(2)
  })

  test.for([
    ['of a connection that nobody has', 'unknown', {}],
    ['of another connector', undefined, { providerConfigKey: 'slack' }],
    ['with a list that cannot stand in a key', undefined, { model: 'a#b' }],
  ] as const)('%s changes nothing', async ([, nangoId, more]) => {
    const word = { ...nango.syncs.ran('contacts', { added: contacts(1, 2) }), ...more }
    expect(await ended(() => send(word, nangoId ?? id))).toEqual([])
  })

  test('brings no records where Nango keeps the connection for somebody else', async () => {
    const held = nango.held.get(id)
    if (held) held.tags = { ...held.tags, tenant_id: 'ten_other' }
    await send(nango.syncs.ran('contacts', { added: contacts(1, 2) }))
    await send({ type: 'forward', payload: { n: 1 } })
    expect([...(await copies()), ...(await copies(FORWARDED))]).toEqual([])
  })
})

test('a worker that dies between any two writes counts the word of Nango once', async () => {
  const job_id = await begun()
  const body = bodyFor(nango.syncs.ran('contacts', { added: contacts(1, 60) }))
  for (let commits = 0; commits < 40; commits += 1) {
    process.die({ at: 2, command: 'TransactWriteItemsCommand', lost: commits % 2 === 1 })
    const messages = [{ nango: body }, { ...acme.ctx.space, id: job_id }]
    for (const message of messages) await sync({ Records: [{ messageId: 'm', body: JSON.stringify(message) }] })
    process.restart()
    if ((await look(job_id)).ended_at !== null) break
  }
  expect(await look(job_id)).toMatchObject({ status: 'completed', progress: { added: 60 } })
  const left = await copies()
  expect(left).toHaveLength(60)
  expect(await bytesCounted()).toBe(left.reduce((sum, { sealed }) => sum + payloadBytes(sealed), 0))
  await local.drain()
})

describe('a forwarded message that no rule asks for', () => {
  test('is kept sealed for seven days, once', async () => {
    const payload = { event: { type: 'contact.created', n: 1 } }
    for (let times = 0; times < 2; times += 1) await send({ type: 'forward', payload })
    const [kept, ...more] = await copies(FORWARDED)
    if (!kept) throw new Error('nothing is kept')
    expect(more).toEqual([])
    const days = (Date.parse(kept.kept_until ?? '') - local.clock.now()) / 86_400_000
    expect(Math.round(days)).toBe(7)
    expect((await openPayload(kept, syncedRecords.key(kept), 'sealed', kept.sealed)).payload).toEqual(payload)
    const late = { ...acme.ctx, now: () => Date.parse(kept.kept_until ?? '') + 1 }
    await removePastRecords(late)
    expect(await copies(FORWARDED)).toEqual([])
    expect(await bytesCounted()).toBe(0)
  })

  test('is dropped when it is larger than 64 KiB', async () => {
    await send({ type: 'forward', payload: { text: 'x'.repeat(65_536) } })
    expect(await copies(FORWARDED)).toEqual([])
  })
})
