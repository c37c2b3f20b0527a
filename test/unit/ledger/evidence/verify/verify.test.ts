import { beforeEach, describe, expect, test } from 'vitest'
import { checkpoint } from '../../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { parseVerifierKey, openNote, parseCheckpoint } from '../../../../../shared/ledger/evidence/checkpoint/note.ts'
import { sequence } from '../../../../../shared/ledger/evidence/chain/sequence.ts'
import { verifyChain } from '../../../../../shared/ledger/evidence/verify/verify.ts'
import { EVENT_SCHEMAS } from '../../../../../shared/ledger/events/schemas.ts'
import { foundedWorld, newestEvents, recordMany, SPACE, type World } from '../world.ts'
import { coldStart } from '../../../../../shared/base/lib/memory.ts'

let it: World

/** Blocks 1 to 3 with four artifacts each; a checkpoint covers the first two. */
beforeEach(async () => {
  it = await foundedWorld()
  await recordMany(it.ctx, 4)
  await sequence(it.ctx)
  await recordMany(it.ctx, 4)
  await sequence(it.ctx)
  await checkpoint(it.ctx)
  await recordMany(it.ctx, 4)
  await sequence(it.ctx)
})

describe('an untouched chain', () => {
  test('is valid, and the answer says what is anchored and what is not', async () => {
    expect(await verifyChain(it.ctx, 'api')).toMatchObject({
      chain_valid: true,
      total_artifacts: 12,
      first_artifact: expect.stringMatching(/^2026-11-20T10:/),
      latest_artifact: expect.stringMatching(/^2026-11-20T10:/),
      signature_status: 'all_verified',
      broken_links: 0,
      verification: {
        mode: 'full',
        anchored_through: 8,
        unanchored: 4,
        pending: 0,
        checkpoint: { size: 8, object: 'verified' },
        tail: { from: 8, to: 12, result: 'valid' },
        last_full: { size: 12, result: 'valid', broken: [] },
      },
    })
  })

  test('carries a note that the handed-out key opens', async () => {
    const { verification } = await verifyChain(it.ctx, 'api')
    const keys = verification.verifier_keys.map(parseVerifierKey)
    const text = openNote(verification.checkpoint?.note ?? '', keys) ?? ''

    expect(parseCheckpoint(text)).toMatchObject({ origin: `countersign.example/${SPACE.tenant_id}/live`, size: 8 })
  })

  test('leaves an artifact and an event that make every receiver a witness', async () => {
    const result = await verifyChain(it.ctx, 'api')
    const [emitted, verified] = newestEvents(it)

    expect(it.ctx.table.committed.at(-1)).toBe('evidence.chain.verified')
    expect(emitted?.data).toMatchObject({ artifact_type: 'evidence.chain.verified' })
    expect(verified?.type).toBe('evidence.chain.verified')
    const data = EVENT_SCHEMAS['evidence.chain.verified'].schema.parse(verified?.data)
    expect(data).toMatchObject({
      checkpoint_size: 8,
      checkpoint_root: result.verification.checkpoint?.root,
      total_artifacts: 12,
    })
  })

  test('sequences what waits before it is verified', async () => {
    await recordMany(it.ctx, 3)

    expect(await verifyChain(it.ctx, 'api')).toMatchObject({ total_artifacts: 15, verification: { pending: 0 } })
  })

  test('is valid with a signature that lags for less than five minutes, pending after that', async () => {
    it.clock.moveTo(it.clock.now() + 280_000)
    expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: true, signature_status: 'all_verified' })

    it.clock.moveTo(it.clock.now() + 300_000)
    expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: true, signature_status: 'pending' })
  })
})

describe('an empty chain', () => {
  test('is valid, without times and without signature', async () => {
    it.ctx.space = { ...SPACE, mode: 'test' }

    expect(await verifyChain(it.ctx, 'api')).toMatchObject({
      chain_valid: true,
      total_artifacts: 0,
      first_artifact: null,
      latest_artifact: null,
      signature_status: 'none',
      broken_links: 0,
    })
  })
})

test('a chain without a checkpoint asks for one, waits for it and says pending', async () => {
  it = await foundedWorld()
  await recordMany(it.ctx, 1)
  const started = it.clock.now()

  expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: true, signature_status: 'pending' })
  expect(it.clock.now() - started).toBeGreaterThan(2_000)
})

describe('a dependency that is down', () => {
  test('the bucket: 503, since no verdict without the locked objects would be one', async () => {
    it.s3.down = true

    await expect(verifyChain(it.ctx, 'api')).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('KMS: signing waits, and verification says pending once it is late', async () => {
    await verifyChain(it.ctx, 'api')
    it.kms.down = true
    it.clock.moveTo(it.clock.now() + 600_000)

    expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: true, signature_status: 'pending' })
  })

  test('KMS before this container has read the public key: 503', async () => {
    coldStart()
    it.kms.down = true

    await expect(verifyChain(it.ctx, 'api')).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
