import { DeleteItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { beforeAll, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { workers } from '../../../functions/workers.ts'
import { dynamodb } from '../../../shared/base/aws/clients.ts'
import { artifactKey } from '../../../shared/ledger/evidence/artifact/artifact.ts'
import { openNote, parseCheckpoint, parseVerifierKey } from '../../../shared/ledger/evidence/checkpoint/note.ts'
import { env } from '../../../shared/base/lib/runtime.ts'
import { toAttributes } from '../../../shared/base/table/entity.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { executeBody, referenceTenant } from '../../support/reference-action.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await referenceTenant(local)
  await acme.call(protocol.execute, { body: executeBody('AUTO') })
  await local.drain()
})

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

describe('GET /api/evidence/verify?full=true', () => {
  test('200: the pass runs beside it, and the next answer shows what it found, completeness included', async () => {
    const other = await referenceTenant(local)
    for (const tier of ['AUTO', 'SOFT', 'HARD', 'HARD'] as const) {
      const { body } = await other.call(protocol.execute, { body: executeBody(tier) })
      if (!body.approval) continue
      const { call } = other.as('approver')
      await call(approvals.reject, { params: { id: body.approval.id }, body: { reason: 'no' } })
    }
    await local.drain()
    const asked = await other.call(evidence.verify, { query: { full: true } })
    await local.drain()
    const { body } = await other.call(evidence.verify)

    expect(asked.body.verification).toMatchObject({
      job_id: expect.stringMatching(/^job_/),
      completeness: { result: 'unknown' },
    })
    expect(body.verification).toMatchObject({ completeness: { result: 'complete', missing: 0 } })
    expect(body.verification).not.toHaveProperty('job_id')
  })

  test('200: names the gap that a deleted artifact leaves', async () => {
    const other = await referenceTenant(local)
    const { body } = await other.call(protocol.execute, { body: executeBody('AUTO') })
    const space = { tenant_id: other.tenant_id, mode: 'live' } as const
    const Key = toAttributes(artifactKey(space, body.receipt.evidence_artifact_id))
    await dynamodb().send(new DeleteItemCommand({ TableName: env('TABLE_NAME'), Key }))
    await local.drain()
    await other.call(evidence.verify, { query: { full: true } })
    await local.drain()

    const { verification } = (await other.call(evidence.verify)).body
    expect(verification.completeness).toMatchObject({ result: 'gaps', missing: 1 })
  })

  test('400 or 422: another value than true or false', async () => {
    expect([400, 422]).toContain((await acme.call(evidence.verify, { query: { full: 'yes' } })).status)
  })
})

describe('each day', () => {
  test('every chain is verified in full', async () => {
    const message = JSON.stringify({ every: 'day', spaces: [{ tenant_id: acme.tenant_id, mode: 'live' }] })
    await local.invoke(workers.steps, { Records: [{ messageId: 'm1', body: message }] })
    await local.drain()

    const { verification } = (await acme.call(evidence.verify)).body
    expect(verification.completeness.result).toBe('complete')
    const { body } = await acme.call(evidence.latest, { query: { type: 'evidence.chain.verified' } })
    expect(body.items.map((item: { actor: object }) => item.actor)).toContainEqual({ kind: 'system', id: 'system' })
  })
})
