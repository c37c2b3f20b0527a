import { beforeEach, describe, expect, test } from 'vitest'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { artifactKey, newArtifact } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import { checkpoint } from '../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { artifactHash, publicHash } from '../../../../shared/ledger/evidence/artifact/hashes.ts'
import { getArtifact, latestArtifacts } from '../../../../shared/govern/completeness/latest.ts'
import { openArtifactPayload } from '../../../../shared/govern/executions/sealed/open-payload.ts'
import { commitWith } from '../../../../shared/ledger/evidence/artifact/record.ts'
import { sequence } from '../../../../shared/ledger/evidence/chain/sequence.ts'
import { ArtifactDetail, ArtifactView } from '../../../../shared/ledger/evidence/artifact/view.ts'
import type { Context } from '../../../../shared/base/context.ts'
import { insertStray } from '../../ledger/evidence/tampering.ts'
import { facts, foundedWorld, recordMany, SPACE, TABLE, type World } from '../../ledger/evidence/world.ts'

let it: World
let ids: string[]

/** Two anchored artifacts, two sequenced, one pending. */
beforeEach(async () => {
  it = await foundedWorld()
  ids = await recordMany(it.ctx, 2)
  await sequence(it.ctx)
  await checkpoint(it.ctx)
  ids.push(...(await recordMany(it.ctx, 2)))
  await sequence(it.ctx)
  ids.push(...(await recordMany(it.ctx, 1)))
})

const offset = { offset: 0 }
const sandbox = (): Context => ({ ...it.ctx, space: { ...SPACE, mode: 'test' } })

describe('the latest artifacts', () => {
  test('come newest first and say how far the chain has taken them', async () => {
    const { items, total } = await latestArtifacts(it.ctx, offset)

    expect(items.map(({ artifact_id }) => artifact_id)).toEqual(ids.toReversed())
    expect(items.map(({ chain_status }) => chain_status)).toEqual([
      'pending',
      'sequenced',
      'sequenced',
      'anchored',
      'anchored',
    ])
    expect(items.map(({ sequence: at }) => at)).toEqual([null, 3, 2, 1, 0])
    expect(total).toBe(4) // the chain's own count
    for (const item of items) ArtifactView.parse(item)
  })

  test('are never shown at a position that no block gives them', async () => {
    const stray = insertStray(it, ids[0] ?? '')
    const { items } = await latestArtifacts(it.ctx, offset)

    const pending = { chain_status: 'pending', sequence: null, previous_hash: null, chain_hash: null }
    expect(items[0]).toMatchObject({ artifact_id: stray, ...pending })
    expect(await getArtifact(it.ctx, stray)).toMatchObject(pending)
    expect(items.filter(({ sequence: at }) => at === 0)).toHaveLength(1)
  })

  test.each<[string, (item: Record<string, AttributeValue>) => Record<string, AttributeValue>]>([
    ['is no JSON any more', (item) => ({ ...item, header: { S: '{' } })],
    ['has members of other kinds', (item) => ({ ...item, header: { S: '{"type":7}' } })],
    ['is gone', ({ header: _, ...item }) => item],
  ])('leave out one whose header %s, instead of failing for all', async (_, change) => {
    it.table.tamper(TABLE, artifactKey(SPACE, ids[1] ?? ''), change)
    const kept = ids.filter((id) => id !== ids[1]).toReversed()

    for (const query of [offset, {}, { type: 'manifest.*' }])
      expect((await latestArtifacts(it.ctx, query)).items.map(({ artifact_id }) => artifact_id)).toEqual(kept)
    await expect(getArtifact(it.ctx, ids[1] ?? '')).rejects.toMatchObject({ kind: 'not_found' })
    await expect(openArtifactPayload(it.ctx, ids[1] ?? '')).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('are linked: each names the chain hash before it', async () => {
    const { items } = await latestArtifacts(it.ctx, offset)

    expect(items[1]?.previous_hash).toBe(items[2]?.chain_hash)
    expect(items[0]?.previous_hash).toBeNull()
  })

  test.each([
    ['manifest.registered', 5],
    ['manifest.*', 5],
    ['policy.updated', 0],
    ['approval.*', 0],
  ])('of type %s', async (type, count) => {
    expect((await latestArtifacts(it.ctx, { ...offset, type })).items).toHaveLength(count)
  })

  test('of a type that does not exist are refused', async () => {
    for (const type of ['manifest', 'nothing.*', '*', '']) {
      await expect(latestArtifacts(it.ctx, { ...offset, type })).rejects.toMatchObject({ kind: 'invalid' })
    }
  })

  test('of an execution that does not exist are none', async () => {
    expect(await latestArtifacts(it.ctx, { request_id: 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R' })).toEqual({
      items: [],
      total: 0,
      next_cursor: null,
      has_more: false,
    })
    expect((await latestArtifacts(it.ctx, { request_id: 'x' })).items).toEqual([])
  })

  test('of another mode are not among them', async () => {
    expect((await latestArtifacts(sandbox(), offset)).items).toEqual([])
  })
})

describe('one artifact', () => {
  test('comes with the exact text that its hash covers', async () => {
    const artifact = ArtifactDetail.parse(await getArtifact(it.ctx, ids[0] ?? ''))

    expect(publicHash(artifactHash(artifact.header))).toBe(artifact.hash)
  })

  test('says whether it has a payload', async () => {
    const commitment = 'a'.repeat(64)
    const artifact = newArtifact(it.ctx, facts({ payload_commitment: commitment }))
    await it.ctx.table.commit(commitWith(it.ctx, [{ artifact }]))

    expect(await getArtifact(it.ctx, artifact.artifact_id)).toMatchObject({ payload_status: 'sealed' })
    expect(await getArtifact(it.ctx, ids[0] ?? '')).toMatchObject({ payload_status: 'none' })
  })

  test('of another mode looks exactly like a missing one and like no id at all', async () => {
    const missing = { kind: 'not_found', detail: 'artifact not found' }

    await expect(getArtifact(sandbox(), ids[0] ?? '')).rejects.toMatchObject(missing)
    await expect(getArtifact(it.ctx, 'art_01JD3Q8Z5N0A2C4E6G8J0M2P4R')).rejects.toMatchObject(missing)
    await expect(getArtifact(it.ctx, 'latest')).rejects.toMatchObject(missing)
  })
})
