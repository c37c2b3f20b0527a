import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evidence } from '../../../functions/evidence/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { dynamodb } from '../../../shared/aws/dynamodb.ts'
import { artifactKey } from '../../../shared/evidence/artifact.ts'
import { artifactHash, publicHash } from '../../../shared/evidence/hashes.ts'
import { openNote, parseCheckpoint, parseVerifierKey } from '../../../shared/evidence/note.ts'
import { env } from '../../../shared/lib/env.ts'
import { toAttributes } from '../../../shared/table/entity.ts'
import { type LocalStack, startLocalStack, type TestTenant } from '../../support/local-stack.ts'
import { executeBody, referenceTenant } from '../../support/reference-action.ts'

const MISSING = 'art_01JD3Q8Z5N0A2C4E6G8J0M2P4R'

let local: LocalStack
let acme: TestTenant
let request_id: string
beforeAll(async () => {
  local = await startLocalStack()
  acme = await referenceTenant(local)
  const { body } = await acme.call(protocol.execute, { body: executeBody('AUTO') })
  request_id = body.receipt.request_id
  await local.drain()
})
afterAll(() => local.stop())

const execution = async () => (await acme.call(evidence.latest, { query: { type: 'protocol.executed' } })).body.items[0]

describe('GET /api/evidence/verify', () => {
  test('200: reports a sound chain and leaves evidence of having looked', async () => {
    const reply = await acme.call(evidence.verify)

    expect(reply).toMatchObject({
      status: 200,
      body: { chain_valid: true, broken_links: 0, signature_status: 'all_verified', verification: { mode: 'full' } },
    })
    const { body } = await acme.call(evidence.latest, { query: { limit: 1 } })
    expect(body.items[0].type).toBe('evidence.chain.verified')
  })

  test('200: hands out a note that anybody can open with the published key', async () => {
    const { verification } = (await acme.call(evidence.verify)).body
    const text = openNote(verification.checkpoint.note, verification.verifier_keys.map(parseVerifierKey)) ?? ''

    expect(parseCheckpoint(text)?.size).toBe(verification.checkpoint.size)
    expect(parseCheckpoint(text)?.origin).toContain(acme.tenant_id)
  })

  test('200: keeps the chains of live and test data apart', async () => {
    const { body } = await acme.as('sandbox').call(evidence.verify)

    expect(body).toMatchObject({
      chain_valid: true,
      total_artifacts: 0,
      first_artifact: null,
      signature_status: 'none',
    })
  })

  test('200: finds an artifact that was changed in the table', async () => {
    const other = await referenceTenant(local)
    await local.drain()
    const { body } = await other.call(evidence.latest, { query: { limit: 1 } })
    const { artifact_id } = body.items[0]
    const Key = toAttributes(artifactKey({ tenant_id: other.tenant_id, mode: 'live' }, artifact_id))
    const values = { ':header': (await other.call(evidence.get, { params: { id: artifact_id } })).body.header + ' ' }
    await dynamodb().send(
      new UpdateItemCommand({
        TableName: env('TABLE_NAME'),
        Key,
        UpdateExpression: 'SET header = :header',
        ExpressionAttributeValues: toAttributes(values),
      }),
    )

    const reply = await other.call(evidence.verify)

    expect(reply).toMatchObject({ status: 200, body: { chain_valid: false, broken_links: 1 } })
    expect(reply.body.verification.last_full.broken).toMatchObject([{ artifact_id, reason: 'content' }])
  })
})

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
