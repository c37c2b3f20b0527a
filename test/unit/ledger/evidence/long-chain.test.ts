// Chains beyond what one walk takes: signed in parts, verified from the newest checkpoint on.
import { beforeAll, describe, expect, test } from 'vitest'
import { artifactKey, newArtifacts, shardOf } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import {
  type Block,
  blockKey,
  BLOCK_MAX,
  geneses,
  genesisKey,
  type Head,
  headKey,
} from '../../../../shared/ledger/evidence/chain/chain.ts'
import { checkpoint } from '../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { chainName, genesisLink, link } from '../../../../shared/ledger/evidence/artifact/hashes.ts'
import { nextBlock, sequence } from '../../../../shared/ledger/evidence/chain/sequence.ts'
import { sealed } from '../../../../shared/ledger/evidence/verify/results.ts'
import { verifyStateKey } from '../../../../shared/ledger/evidence/verify/verify-state.ts'
import { verifyChain } from '../../../../shared/ledger/evidence/verify/verify.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { toAttributes } from '../../../../shared/base/table/entity.ts'
import { editHeader } from './tampering.ts'
import { facts, foundedWorld, recordMany, SPACE, TABLE, type World } from './world.ts'

const SIZE = 20_500

let it: World

/** Writes a finalised chain straight into the table. */
async function grow(size: number): Promise<void> {
  const genesis = await it.ctx.table.get(geneses, genesisKey(SPACE))
  if (!genesis) throw new Error('no genesis')
  const key = headKey(SPACE)
  let head: Head = {
    ...key,
    size: 0,
    last: genesisLink(genesis),
    frontier: [],
    last_block: 0,
    finalized: 0,
    counts: {},
  }
  while (head.size < size) {
    const count = Math.min(BLOCK_MAX, size - head.size)
    const made = newArtifacts(it.ctx, ...Array.from({ length: count }, () => facts()))
    const pending = made.map(({ artifact_id, ah, at, type }) => ({
      artifact_id,
      shard: shardOf(artifact_id),
      ah,
      at: iso(at),
      type,
    }))
    const next = nextBlock(chainName(SPACE), head, pending)
    let prev: Uint8Array = head.last
    for (const [index, { artifact_id, header, ah }] of made.entries()) {
      const seq = head.size + index
      const ch = link(chainName(SPACE), seq, prev, ah)
      const item = { header, ah, seq, prev, ch, blk: next.head.last_block }
      it.table.tamper(TABLE, artifactKey(SPACE, artifact_id), (base) => ({ ...base, ...toAttributes(item) }))
      prev = ch
    }
    const block: Omit<Block, 'pk' | 'sk'> = next.block
    it.table.tamper(TABLE, blockKey(SPACE, next.head.last_block), (base) => ({ ...base, ...toAttributes(block) }))
    head = { ...next.head, finalized: next.head.last_block }
  }
  it.table.tamper(TABLE, key, () => toAttributes({ ...head, _v: 1 }))
}

beforeAll(async () => {
  it = await foundedWorld()
  await grow(SIZE)
})

describe('a chain of 20,500 artifacts', () => {
  test('is signed in parts, each of whole blocks', async () => {
    expect(await checkpoint(it.ctx)).toBe('more')
    it.clock.moveTo(it.clock.now() + 60_000)
    expect(await checkpoint(it.ctx)).toBe('signed')
    expect([...it.s3.objects.keys()].map((key) => Number(key.slice(-21, -5)))).toEqual([20_000, 20_500])
  })

  test('is verified from the newest checkpoint on', async () => {
    let calls = 0
    it.table.hooks.before = () => void (calls += 1)

    expect(await verifyChain(it.ctx, 'api')).toMatchObject({
      chain_valid: true,
      total_artifacts: SIZE,
      signature_status: 'all_verified',
      verification: { mode: 'incremental', anchored_through: SIZE, tail: { from: SIZE, to: SIZE, result: 'valid' } },
    })
    it.table.hooks = {}
    expect(calls).toBeLessThan(35) // as on a chain of ten; walking it would take hundreds
  })

  test('shows a change behind the checkpoint at once', async () => {
    const [fresh = ''] = await recordMany(it.ctx, 1)
    await sequence(it.ctx)
    editHeader(it, fresh)

    expect(await verifyChain(it.ctx, 'api')).toMatchObject({
      chain_valid: false,
      broken_links: 1,
      signature_status: 'all_verified',
      verification: { tail: { from: SIZE, to: SIZE + 2, result: 'broken' } },
    })
  })

  test('stays broken while the last full pass has an open finding', async () => {
    const broken = [{ sequence: 7, artifact_id: null, reason: 'missing' as const }]
    const at = '2026-11-20T09:00:00.000Z'
    const last_full = { began_at: at, at, size: 20_000, result: 'broken' as const, broken }
    const results = await sealed(it.ctx, { last_full })
    it.table.tamper(TABLE, verifyStateKey(SPACE), (item) => ({ ...item, ...toAttributes(results) }))

    expect(await verifyChain(it.ctx, 'api')).toMatchObject({ broken_links: 2, verification: { last_full } })
  })

  test('stays broken when somebody puts the change back, or writes that a full pass found it valid', async () => {
    const at = iso(it.clock.now() + 1_000)
    const last_full = { began_at: at, at, size: 20_000, result: 'valid', broken: [] }
    it.table.tamper(TABLE, verifyStateKey(SPACE), (item) => ({ ...item, ...toAttributes({ last_full }) }))

    const { chain_valid, verification } = await verifyChain(it.ctx, 'api')
    expect(chain_valid).toBe(false)
    expect(verification).not.toHaveProperty('last_full')

    const results = await sealed(it.ctx, { last_full: { ...last_full, result: 'valid', broken: [] } })
    it.table.tamper(TABLE, verifyStateKey(SPACE), (item) => ({ ...item, ...toAttributes(results) }))
    expect((await verifyChain(it.ctx, 'api')).verification.last_full).toMatchObject({ at })
  })

  test('that is cut below the checkpoint misses exactly what was cut', async () => {
    it.table.tamper(TABLE, headKey(SPACE), (item) => ({ ...item, ...toAttributes({ size: 20_400 }) }))

    expect(await verifyChain(it.ctx, 'api')).toMatchObject({
      chain_valid: false,
      signature_status: 'failed',
      broken_links: 99, // one more was sequenced
    })
  })
})
