import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { dynamodb } from '../../../shared/base/aws/clients.ts'
import { artifactHash, hex, payloadCommitment, publicHash } from '../../../shared/ledger/evidence/artifact/hashes.ts'
import { openNote, parseCheckpoint, parseVerifierKey } from '../../../shared/ledger/evidence/checkpoint/note.ts'
import { executions } from '../../../shared/govern/executions/execution.ts'
import { env } from '../../../shared/base/lib/runtime.ts'
import { toAttributes } from '../../../shared/base/table/entity.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { executeBody, referenceTenant } from '../../support/reference-action.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MISSING = 'art_01JD3Q8Z5N0A2C4E6G8J0M2P4R'

const local = useLocalStack()
let acme: TestTenant
let request_id: string
beforeAll(async () => {
  acme = await referenceTenant(local)
  const { body } = await acme.call(protocol.execute, { body: executeBody('AUTO') })
  request_id = body.receipt.request_id
  await local.drain()
})

const execution = async () => (await acme.call(evidence.latest, { query: { type: 'protocol.executed' } })).body.items[0]

describe('GET /api/evidence/latest', () => {
  test('200: shows the artifact of an execution with its place in the chain', async () => {
    expect(await execution()).toMatchObject({
      type: 'protocol.executed',
      request_id,
      outcome: 'succeeded',
      actor: { kind: 'api_key' },
      sequence: expect.any(Number),
      previous_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      payload_status: 'sealed',
    })
  })

  test('200: filters by execution', async () => {
    const { body } = await acme.call(evidence.latest, { query: { request_id } })

    expect(body.items.map((item: { request_id: string }) => item.request_id)).toEqual([request_id])
  })

  test('200: pages through the artifacts of an execution; a cursor of another list is refused', async () => {
    const { call } = await referenceTenant(local)
    const soft = await call(protocol.execute, { body: executeBody('SOFT') })
    const query = { request_id: soft.body.receipt.request_id }
    await call(protocol.undo, { params: query, body: {} })
    const all = (await call(evidence.latest, { query })).body
    const first = (await call(evidence.latest, { query: { ...query, limit: 1 } })).body
    const rest = await call(evidence.latest, { query: { ...query, cursor: first.next_cursor } })
    const foreign = (await call(evidence.latest, { query: { limit: 1 } })).body.next_cursor

    expect(all.items.length).toBeGreaterThan(1)
    expect(first).toMatchObject({ items: [all.items[0]], total: all.total, has_more: true })
    expect(rest.body.items).toEqual(all.items.slice(1))
    for (const [name, value] of [
      ['cursor', foreign],
      ['offset', 10_001],
    ]) {
      expect((await call(evidence.latest, { query: { ...query, [name]: value } })).status).toBe(400)
    }
  })

  test('200: pages through all artifacts in both styles', async () => {
    const all = (await acme.call(evidence.latest, { query: { offset: 0, limit: 200 } })).body.items
    const paged: unknown[] = []
    let cursor: string | undefined
    do {
      const { body } = await acme.call(evidence.latest, { query: { limit: 3, ...(cursor && { cursor }) } })
      paged.push(...body.items)
      cursor = body.next_cursor ?? undefined
    } while (cursor)

    expect(paged).toEqual(all)
  })

  test('422: an artifact type that does not exist', async () => {
    expect(await acme.call(evidence.latest, { query: { type: 'nothing' } })).toMatchObject({ status: 422 })
  })
})

describe('GET /api/evidence/{id}', () => {
  test('200: gives the exact text that the hash covers', async () => {
    const { artifact_id, hash } = await execution()
    const { body } = await acme.call(evidence.get, { params: { id: artifact_id } })

    expect(body.hash).toBe(hash)
    expect(publicHash(artifactHash(body.header))).toBe(hash)
  })

  test('404: another tenant’s artifact looks exactly like a missing one', async () => {
    const { artifact_id } = await execution()
    const stranger = await local.tenant()
    const foreign = await stranger.call(evidence.get, { params: { id: artifact_id } })
    const missing = await stranger.call(evidence.get, { params: { id: MISSING } })

    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
  })

  test('404: an artifact of the other mode', async () => {
    const { artifact_id } = await execution()

    expect(await acme.as('sandbox').call(evidence.get, { params: { id: artifact_id } })).toMatchObject({ status: 404 })
  })
})

describe('GET /api/evidence/checkpoints', () => {
  test('200: signed notes, newest first, in both styles, with the key that opens them', async () => {
    const { body, headers } = await acme.call(evidence.checkpoints)
    const text = openNote(body.items[0].note, body.verifier_keys.map(parseVerifierKey)) ?? ''

    expect(parseCheckpoint(text)?.size).toBe(body.items[0].size)
    expect(body).toMatchObject({ next_cursor: null, has_more: false, total: body.items.length })
    expect(headers).not.toHaveProperty('ETag')
    const offset = (await acme.call(evidence.checkpoints, { query: { offset: 0, limit: 1 } })).body
    expect(offset).toMatchObject({ items: [body.items[0]], offset: 0, limit: 1 })
  })
})

describe('GET /api/evidence/{id}/proof', () => {
  test('200: a tlog-proof as plain text', async () => {
    const { artifact_id, sequence } = await execution()
    const { status, headers, body } = await acme.call(evidence.proof, { params: { id: artifact_id } })

    expect(status).toBe(200)
    expect(headers['content-type'] ?? headers['Content-Type']).toBe('text/plain; charset=utf-8')
    expect(body).toMatch(new RegExp(`^c2sp.org/tlog-proof@v1\nindex ${sequence}\n`))
  })

  test('409: while no checkpoint covers the artifact', async () => {
    const { body } = await acme.call(protocol.execute, { body: executeBody('AUTO') })
    const reply = await acme.call(evidence.proof, { params: { id: body.receipt.evidence_artifact_id } })

    expect(reply).toMatchObject({
      status: 409,
      body: { detail: 'No signed checkpoint covers the artifact yet. Try again in a minute.' },
    })
  })

  test('404: another tenant’s artifact', async () => {
    const { artifact_id } = await execution()
    const stranger = await local.tenant()

    expect(await stranger.call(evidence.proof, { params: { id: artifact_id } })).toMatchObject({ status: 404 })
  })
})

describe('GET /api/evidence/{id}/payload', () => {
  test('200: payload and salt that meet the commitment, and evidence of having looked', async () => {
    const { artifact_id } = await execution()
    const { status, body } = await acme.call(evidence.payload, { params: { id: artifact_id } })
    const { header } = (await acme.call(evidence.get, { params: { id: artifact_id } })).body

    expect(status).toBe(200)
    expect(body.payload).toEqual(executeBody('AUTO').payload)
    const commitment = hex(payloadCommitment(Buffer.from(body.salt, 'hex'), body.payload))
    expect(JSON.parse(header).payload_commitment).toBe(commitment)
    const { items } = (await acme.call(evidence.latest, { query: { type: 'evidence.payload.opened' } })).body
    expect(items[0]).toMatchObject({ subject: { type: 'artifact', id: artifact_id } })
  })

  test('404: an artifact that never had one', async () => {
    const { body } = await acme.call(evidence.latest, { query: { type: 'manifest.registered' } })
    const reply = await acme.call(evidence.payload, { params: { id: body.items[0].artifact_id } })

    expect(reply).toMatchObject({ status: 404, body: { detail: 'payload not found' } })
  })

  test('409: an erased payload', async () => {
    const { artifact_id, request_id: id } = await execution()
    const space = { tenant_id: acme.tenant_id, mode: 'live' } as const
    await dynamodb().send(
      new UpdateItemCommand({
        TableName: env('TABLE_NAME'),
        Key: toAttributes(executions.key({ ...space, id })),
        UpdateExpression: 'REMOVE payload',
      }),
    )

    expect(await acme.call(evidence.payload, { params: { id: artifact_id } })).toMatchObject({
      status: 409,
      body: { detail: 'The payload was erased. Nobody can read it any more.' },
    })
  })

  test('404: another tenant’s artifact', async () => {
    const { artifact_id } = await execution()
    const stranger = await local.tenant()

    expect(await stranger.call(evidence.payload, { params: { id: artifact_id } })).toMatchObject({ status: 404 })
  })
})
