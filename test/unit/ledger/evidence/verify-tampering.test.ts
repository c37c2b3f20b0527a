// Whatever somebody who can write the table does to the chain, verification finds it, and counts what it broke.
import { beforeEach, describe, expect, test } from 'vitest'
import { checkpoint } from '../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { checkpointKey, genesisKey, headKey } from '../../../../shared/ledger/evidence/chain/chain.ts'
import { latestArtifacts } from '../../../../shared/govern/completeness/latest.ts'
import { sequence } from '../../../../shared/ledger/evidence/chain/sequence.ts'
import { verifyChain } from '../../../../shared/ledger/evidence/verify/verify.ts'
import { toAttributes } from '../../../../shared/base/table/entity.ts'
import {
  cutTail,
  editAndRehash,
  editBlock,
  editEntries,
  editHead,
  editHeader,
  insertStray,
  remove,
  removeBlock,
  rewriteFrom,
  strip,
  swap,
} from './tampering.ts'
import { foundedWorld, newestEvents, recordMany, SPACE, TABLE, type World } from './world.ts'

let it: World
let ids: string[]

/** Blocks 1 to 3 with four artifacts each; a checkpoint covers the first two. */
beforeEach(async () => {
  it = await foundedWorld()
  ids = await recordMany(it.ctx, 4)
  await sequence(it.ctx)
  ids.push(...(await recordMany(it.ctx, 4)))
  await sequence(it.ctx)
  await checkpoint(it.ctx)
  ids.push(...(await recordMany(it.ctx, 4)))
  await sequence(it.ctx)
})

const id = (index: number) => ids[index] ?? ''
type Tampering = [what: string, tamper: (it: World) => void, broken: number, signature: string]

const TAMPERINGS: Tampering[] = [
  ['a field of the first artifact changes', () => void editHeader(it, id(0)), 1, 'all_verified'],
  ['a field of an artifact in the middle changes', () => void editHeader(it, id(5)), 1, 'all_verified'],
  ['a field of the last artifact changes', () => void editHeader(it, id(11)), 1, 'all_verified'],
  ['an artifact is changed and hashed again', () => editAndRehash(it, id(5)), 1, 'all_verified'],
  ['the first artifact is deleted', () => remove(it, id(0)), 1, 'all_verified'],
  ['the last artifact is deleted', () => remove(it, id(11)), 1, 'all_verified'],
  ['two artifacts are deleted', () => [3, 7].forEach((at) => remove(it, id(at))), 2, 'all_verified'],
  ['the position of an artifact is removed', () => strip(it, id(2)), 1, 'all_verified'],
  ['two artifacts are swapped', () => swap(it, id(1), id(2)), 2, 'all_verified'],
  ['two artifacts of different blocks are swapped', () => swap(it, id(1), id(10)), 2, 'all_verified'],
  [
    'two entries of a block are swapped',
    () => editEntries(it, 2, ([a, b, ...c]) => [b, a, ...c].filter((e) => !!e)),
    3, // the two, and the link out of them
    'failed',
  ],
  [
    'an entry is doubled',
    () => editEntries(it, 3, ([a, , ...c]) => [a, a, ...c].filter((e) => !!e)),
    2, // the double, and the link out of it
    'all_verified',
  ],
  ['an entry is inserted', () => editEntries(it, 3, ([a, ...c]) => [a, a, ...c].filter((e) => !!e)), 5, 'all_verified'],
  ['an entry is taken out', () => editEntries(it, 3, ([, ...c]) => c), 4, 'all_verified'],
  ['an artifact is inserted with the position of another', () => void insertStray(it, id(5)), 1, 'all_verified'],
  ['… that names no block', () => void insertStray(it, id(5), { blk: 9 }), 1, 'all_verified'],
  ['… with a position behind the end', () => void insertStray(it, id(5), { seq: 500 }), 1, 'all_verified'],
  ['the entries of a block are cut', () => editBlock(it, 2, { entries: new Uint8Array(50) }), 4, 'failed'],
  ['the entries of the last block are cut', () => editBlock(it, 3, { entries: new Uint8Array(50) }), 4, 'all_verified'],
  ['the last block loses its shape', () => editBlock(it, 3, { first: 'x' }), 4, 'all_verified'],
  ['an artifact loses its shape', () => void editHeader(it, id(11), { header: 7 }), 1, 'all_verified'],
  ['the first unsigned artifact is no JSON', () => void editHeader(it, id(8), { header: '{' }), 1, 'all_verified'],
  ['the head loses its shape', () => editHead(it, { size: 'x' }), 8, 'failed'],
  [
    'the genesis loses its shape',
    () => it.table.tamper(TABLE, genesisKey(SPACE), ({ pk, sk }) => ({ ...(pk && sk && { pk, sk }) })),
    1,
    'all_verified',
  ],
  ['the root of a block changes', () => editBlock(it, 2, { root_after: new Uint8Array(32) }), 1, 'all_verified'],
  ['the first position of a block changes', () => editBlock(it, 3, { first: 100 }), 1, 'all_verified'],
  ['a block in the middle is deleted', () => removeBlock(it, 2), 4, 'failed'],
  ['the last block is deleted', () => removeBlock(it, 3), 4, 'all_verified'],
  ['the head names another link', () => editHead(it, { last: new Uint8Array(32) }), 1, 'all_verified'],
  ['the head claims more than there is', () => editHead(it, { size: 13 }), 1, 'all_verified'],
  ['the head is deleted', () => it.table.tamper(TABLE, headKey(SPACE), () => undefined), 8, 'failed'],
  [
    'the tail is cut below the checkpoint and the head set back',
    () => {
      cutTail(it)
      cutTail(it)
    },
    4,
    'failed',
  ],
  ['the signed part is rewritten with right hashes', () => rewriteFrom(it, 2), 0, 'failed'],
  ['everything is rewritten with right hashes, head included', () => rewriteFrom(it, 1), 0, 'failed'],
  [
    'the genesis changes',
    () => it.table.tamper(TABLE, genesisKey(SPACE), (item) => ({ ...item, created_at: { S: 'x' } })),
    1,
    'all_verified',
  ],
  [
    'the origin of the chain changes',
    () => it.table.tamper(TABLE, genesisKey(SPACE), (item) => ({ ...item, origin: { S: 'evil.example' } })),
    1,
    'failed',
  ],
  ['the genesis is deleted', () => it.table.tamper(TABLE, genesisKey(SPACE), () => undefined), 1, 'all_verified'],
  [
    'a checkpoint of the table gets another root',
    () =>
      it.table.tamper(TABLE, checkpointKey(SPACE, 8), (item) => ({
        ...item,
        ...toAttributes({ root: new Uint8Array(32) }),
      })),
    0,
    'failed',
  ],
  [
    'a checkpoint of the table gets another size',
    () => {
      const item = it.table.item(TABLE, checkpointKey(SPACE, 8)) ?? {}
      it.table.tamper(TABLE, checkpointKey(SPACE, 9), ({ pk, sk }) => ({
        ...item,
        size: { N: '9' },
        ...(pk && sk && { pk, sk }),
      }))
    },
    0,
    'failed',
  ],
]

describe('verification finds that', () => {
  test.each(TAMPERINGS)('%s', async (_, tamper, broken, signature) => {
    tamper(it)
    const result = await verifyChain(it.ctx, 'api')

    expect({ ...result, verification: undefined }).toMatchObject({
      chain_valid: false,
      broken_links: broken,
      signature_status: signature,
    })
    expect(newestEvents(it).map(({ type }) => type)).toContain('compliance.violation.detected')
  })
})

test('deleting the checkpoints from the table hides nothing: the bucket has them', async () => {
  it.table.tamper(TABLE, checkpointKey(SPACE, 8), () => undefined)
  expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: true, verification: { anchored_through: 8 } })

  cutTail(it)
  cutTail(it)
  expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: false, signature_status: 'failed' })
})

test('a checkpoint of the table that lost its shape hides nothing either', async () => {
  it.table.tamper(TABLE, checkpointKey(SPACE, 8), (item) => ({ ...item, size: { S: 'x' } }))

  expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: true, verification: { anchored_through: 8 } })
})

test('a locked object that does not hold fails the signature', async () => {
  for (const [key, text] of it.s3.objects)
    it.s3.objects.set(key, text.replace('"block":2', '"block":2,"x":1').replace(/— /, '— x'))

  expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: false, signature_status: 'failed' })
})

test('a chain that cannot be sequenced any more is verified all the same', async () => {
  await recordMany(it.ctx, 1)
  editHead(it, { last_block: 1, finalized: 1, size: 4 })

  expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: false, verification: { pending: 1 } })
})

test('the finding names the artifact and the reason', async () => {
  remove(it, id(3))
  editHeader(it, id(6))
  const { verification } = await verifyChain(it.ctx, 'api')

  expect(verification.last_full?.broken).toEqual([
    { sequence: 3, artifact_id: id(3), reason: 'missing' },
    { sequence: 6, artifact_id: id(6), reason: 'content' },
  ])
})

test('the times are those of the artifacts, whatever the head claims', async () => {
  const { first_artifact, latest_artifact } = await verifyChain(it.ctx, 'api')
  await sequence(it.ctx) // the artifact of that verification
  const [before] = (await latestArtifacts(it.ctx, { type: 'evidence.chain.verified' })).items
  editHead(it, { first_at: '2020-01-01T00:00:00.000Z', last_at: '2030-01-01T00:00:00.000Z' })
  const claimed = await verifyChain(it.ctx, 'api')

  expect(claimed).toMatchObject({ first_artifact, latest_artifact: before?.occurred_at })
  expect(latest_artifact).not.toBe(before?.occurred_at)
})
