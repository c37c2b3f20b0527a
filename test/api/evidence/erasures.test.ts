import { ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { QUEUES } from '../../../infra/topology.ts'
import { dynamodb } from '../../../shared/base/aws/clients.ts'
import { GetObjectCommand, ListObjectsV2Command, s3 } from '../../../shared/base/aws/s3.ts'
import { systemContext } from '../../../shared/base/context.ts'
import { erasures } from '../../../shared/assure/erasure/erasure.ts'
import { PACK } from '../../../shared/assure/exports/pack/pack.ts'
import { verifyPack } from '../../../shared/assure/exports/verify/pack.ts'
import { env } from '../../../shared/base/lib/runtime.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { executeBody, referenceTenant } from '../../support/reference-action.ts'
import { download, unzip } from '../../support/unzip.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'
import { openTable } from '../../../shared/base/context.ts'
import { piiEvents } from '../../../shared/govern/governance/pii/event.ts'
import { filesOf } from '../../unit/assure/exports/sample-pack.ts'

const SUBJECT = 'ada.canary@example.com'
const CANARY = 'canary-6b1d0f'
const MINUTE = 60_000

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await referenceTenant(local)
})

const execute = async (tier: 'AUTO' | 'HARD', { subject = SUBJECT, note = CANARY } = {}) => {
  const body = { ...executeBody(tier), payload: { note }, policy_context: { data_subject: subject } }
  return (await acme.call(protocol.execute, { body })).body
}
const erase = (body: object, tenant: Pick<TestTenant, 'call'> = acme) => tenant.call(evidence.erase, { body })
const bySubject = { data_subject: SUBJECT, reason: 'data_subject_request' }
const read = async (request_id: string) => (await acme.call(protocol.getExecution, { params: { request_id } })).body
const artifactsOf = async (request_id: string) =>
  (await acme.call(evidence.latest, { query: { request_id } })).body.items
const verified = async () => (await acme.call(evidence.verify)).body

async function pack(body: object = { include_payloads: true }) {
  const { export_id } = (await acme.call(evidence.createExport, { body })).body
  await local.drain()
  const state = (await acme.call(evidence.getExport, { params: { export_id } })).body
  return { export_id, download_url: state.download_url, files: unzip(await download(state.download_url)) }
}

/** Every item, message and object there is, as text. */
async function everything(): Promise<string[]> {
  const tables = [env('TABLE_NAME'), env('KEYS_TABLE_NAME')]
  const items = (await Promise.all(tables.map(itemsOf))).flat()
  const messages = Object.keys(QUEUES).flatMap((queue) =>
    [queue, `${queue}-dlq`].flatMap((name) => local.queues.receive(name, 1_000).map(({ body }) => body)),
  )
  const objects: string[] = []
  for (const Bucket of [env('EVIDENCE_BUCKET'), env('FILES_BUCKET')]) {
    const { Contents = [] } = await s3().send(new ListObjectsV2Command({ Bucket }))
    for (const { Key } of Contents) {
      const { Body } = await s3().send(new GetObjectCommand({ Bucket, Key }))
      const bytes = Buffer.from((await Body?.transformToByteArray()) ?? [])
      objects.push(...(Key?.endsWith('.zip') ? unzip(bytes).values() : [bytes.toString('latin1')]))
    }
  }
  return [...items, ...messages, ...objects]
}

async function itemsOf(TableName: string): Promise<string[]> {
  const texts: string[] = []
  let start: ScanCommandInput['ExclusiveStartKey']
  do {
    const page = await dynamodb().send(new ScanCommand({ TableName, ExclusiveStartKey: start }))
    texts.push(...(page.Items ?? []).map((item) => asText(unmarshall(item))))
    start = page.LastEvaluatedKey
  } while (start)
  return texts
}

const asText = (value: unknown) =>
  JSON.stringify(value, (_, one: unknown) => (one instanceof Uint8Array ? Buffer.from(one).toString('latin1') : one))

describe('POST /api/evidence/erasures of a data subject', () => {
  test('202: payloads are unreadable, their artifacts say so, and the chain is as valid as before', async () => {
    const { receipt } = await execute('AUTO')
    await local.drain()
    const before = await verified()
    const reply = await erase(bySubject)

    expect(reply).toMatchObject({ status: 202, body: { status: 'completed', backups_clear_at: null } })
    expect(reply.body.payloads).toBeGreaterThanOrEqual(1)
    expect((await read(receipt.request_id)).result).toMatchObject({ payload_echo: null, payload_status: 'erased' })
    expect(await artifactsOf(receipt.request_id)).toMatchObject([{ payload_status: 'erased' }])
    const after = await verified()
    expect([before.chain_valid, after.chain_valid, after.broken_links]).toEqual([true, true, 0])
  })

  test('202: nothing of the subject is left in any table, queue or bucket', async () => {
    await execute('AUTO')
    await pack()
    const found = async () => (await everything()).filter((text) => text.includes(CANARY) || text.includes(SUBJECT))
    const before = await found()
    await erase(bySubject)
    await local.advance(6 * MINUTE)

    expect(before).not.toEqual([]) // the pack with payloads
    expect(await found()).toEqual([])
  })

  test('202: of personal data that was found, the counts stay without their pseudonyms', async () => {
    const { receipt } = await execute('AUTO', { note: 'ann@example.com' })
    const of = {
      tenant_id: acme.tenant_id,
      mode: 'live',
      execution_id: receipt.request_id,
      direction: 'input',
    } as const
    const found = () => openTable().get(piiEvents, of)
    const before = await found()
    await erase(bySubject)
    await local.advance(MINUTE)

    expect(before?.links).toHaveLength(1)
    expect(await found()).toMatchObject({ types: { EMAIL: 1 }, links: [] })
  })

  test('202: a pack with payloads made before is withdrawn; one made after says what was erased and is valid', async () => {
    const { receipt } = await execute('AUTO')
    const older = await pack()
    await erase(bySubject)
    const state = await acme.call(evidence.getExport, { params: { export_id: older.export_id } })
    const { files } = await pack()
    const lines = (files.get(PACK.payloads) ?? '').trimEnd().split('\n')
    const [erasure] = (await acme.call(evidence.latest, { query: { type: 'evidence.payload.erased', limit: 1 } })).body
      .items
    const [{ artifact_id }] = await artifactsOf(receipt.request_id)

    expect(state.body).toMatchObject({ status: 'failed', error: expect.stringContaining('erased') })
    await expect(download(older.download_url)).rejects.toThrow('404')
    expect(lines.map((line) => JSON.parse(line))).toContainEqual({ artifact_id, erased_by: erasure.artifact_id })
    expect(await verifyPack(filesOf(files))).toMatchObject({ verdict: 'valid', payloads: { mismatched: 0 } })
  })

  test('202: a pack of what was before the erasure proves that as well', async () => {
    const { receipt } = await execute('AUTO')
    await local.advance(2 * MINUTE)
    await local.sweep()
    const [{ sequence }] = await artifactsOf(receipt.request_id)
    await erase(bySubject)
    const { files } = await pack({ include_payloads: true, from_sequence: sequence, to_sequence: sequence + 1 })

    const { verdict, payloads } = await verifyPack(filesOf(files), { strict: true })
    expect(files.get(PACK.erasures)).not.toBe('')
    expect(verdict).toBe('valid')
    expect(payloads.erased).toBeGreaterThan(0)
  })

  test('202: an action that waits for approval is cancelled', async () => {
    const { receipt, approval } = await execute('HARD')
    await erase(bySubject)

    expect(await read(receipt.request_id)).toMatchObject({ status: 'cancelled' })
    const vote = await acme.as('approver').call(approvals.approve, { params: { id: approval.id }, body: {} })
    expect(vote.status).toBe(409)
  })

  test('202: what others have and what the subject does later stays readable', async () => {
    const other = await execute('AUTO', { subject: 'grace@example.com', note: 'kept' })
    await execute('AUTO')
    await erase(bySubject)
    const later = await execute('AUTO', { note: 'new' })

    expect((await read(other.receipt.request_id)).result.payload_echo).toEqual({ note: 'kept' })
    expect((await read(later.receipt.request_id)).result.payload_echo).toEqual({ note: 'new' })
  })

  test('202: other tenants and the other mode keep theirs', async () => {
    const { receipt } = await execute('AUTO', { note: 'mine' })
    const stranger = await local.tenant()

    expect((await erase(bySubject, stranger)).body).toMatchObject({ status: 'completed', payloads: 0 })
    expect((await erase(bySubject, acme.as('sandbox'))).body).toMatchObject({ status: 'completed', payloads: 0 })
    expect((await read(receipt.request_id)).result.payload_echo).toEqual({ note: 'mine' })
  })

  test('202: is itself evidence, without the name of the subject', async () => {
    const { body } = await erase(bySubject)
    const { items } = (await acme.call(evidence.latest, { query: { type: 'evidence.payload.erased', limit: 1 } })).body
    const { header } = (await acme.call(evidence.get, { params: { id: items[0].artifact_id } })).body

    expect(JSON.parse(header)).toMatchObject({
      subject_ref: expect.stringMatching(/^[0-9a-f]{32}$/),
      data: { erasure_id: body.id, reason: 'data_subject_request', payloads: body.payloads },
    })
    expect(header).not.toContain(SUBJECT)
  })
})

describe('POST /api/evidence/erasures of one execution', () => {
  test('202: only its payload goes, and the answer says when backups are clear of it', async () => {
    const [one, other] = [await execute('AUTO'), await execute('AUTO', { note: 'kept' })]
    const { request_id } = one.receipt
    const reply = await erase({ request_id, reason: 'sent_by_mistake' })

    expect(reply).toMatchObject({ status: 202, body: { status: 'completed', payloads: 1 } })
    expect(Date.parse(reply.body.backups_clear_at)).toBe(Date.parse(reply.body.requested_at) + 35 * 24 * 60 * MINUTE)
    expect((await read(request_id)).result.payload_echo).toBeNull()
    expect((await read(other.receipt.request_id)).result.payload_echo).toEqual({ note: 'kept' })
    expect((await verified()).chain_valid).toBe(true)
  })

  test('202: a long payload, which stands in its own item, goes too', async () => {
    const { receipt } = await execute('AUTO', { note: 'long '.repeat(4_000) })
    const { request_id } = receipt
    const reply = await erase({ request_id, reason: 'sent_by_mistake' })

    expect(reply.body.payloads).toBe(1)
    expect((await read(request_id)).result.payload_echo).toBeNull()
  })

  test('202: again, changes nothing more', async () => {
    const { request_id } = (await execute('AUTO')).receipt
    await erase({ request_id, reason: 'sent_by_mistake' })

    expect((await erase({ request_id, reason: 'sent_by_mistake' })).body).toMatchObject({
      status: 'completed',
      payloads: 0,
    })
  })

  test('404: another tenant’s execution looks exactly like a missing one', async () => {
    const { request_id } = (await execute('AUTO')).receipt
    const stranger = await local.tenant()
    const [foreign, missing] = await Promise.all(
      [request_id, 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R'].map((id) =>
        erase({ request_id: id, reason: 'sent_by_mistake' }, stranger),
      ),
    )

    expect(foreign?.status).toBe(404)
    expect({ ...foreign?.body, request_id: '' }).toEqual({ ...missing?.body, request_id: '' })
  })
})

describe('POST /api/evidence/erasures', () => {
  test.each([
    [422, { reason: 'because' }],
    [422, { data_subject: 'a', request_id: 'exe_1', reason: 'because' }],
    [422, { data_subject: 'a', reason: 'Ada Lovelace asked us to' }],
    [400, { data_subject: 'a' }],
  ])('%i: %j', async (status, body) => {
    expect(await erase(body)).toMatchObject({ status })
  })

  test('403: only with the right to the security of the tenant', async () => {
    expect(await erase(bySubject, acme.as('approver'))).toMatchObject({ status: 403 })
  })
})

describe('GET /api/evidence/erasures/{id}', () => {
  test('200: an erasure that a crash interrupted is finished by the sweeper', async () => {
    const { request_id } = (await execute('AUTO')).receipt
    const ctx = systemContext({ tenant_id: acme.tenant_id, mode: 'live' })
    const [id, at] = [ctx.id('ers'), new Date(ctx.now()).toISOString()]
    const artifact_id = ctx.id('art')
    const rest = {
      reason: 'sent_by_mistake',
      artifact_id,
      payloads: 1,
      requested_at: at,
      due_at: at,
      backups_clear_at: at,
    }
    await ctx.table.commit([erasures.insert({ ...ctx.space, id, status: 'running', request_id, ...rest })])
    const before = await read(request_id)
    await local.advance(MINUTE)
    await local.sweep()

    expect(before.result.payload_echo).toEqual({ note: CANARY })
    expect((await read(request_id)).result.payload_echo).toBeNull()
    expect((await acme.call(evidence.getErasure, { params: { id } })).body).toMatchObject({ status: 'completed' })
  })

  test('200: shows how far it is; to other tenants it does not exist', async () => {
    const { id } = (await erase(bySubject)).body
    const stranger = await local.tenant()

    expect((await acme.call(evidence.getErasure, { params: { id } })).body).toMatchObject({ id, status: 'completed' })
    expect((await stranger.call(evidence.getErasure, { params: { id } })).status).toBe(404)
  })
})
