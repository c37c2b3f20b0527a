import { beforeEach, describe, expect, test } from 'vitest'
import { checkpoint } from '../../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { checkpointKey } from '../../../../../shared/ledger/evidence/chain/chain.ts'
import { advanceChain, waitBeforeCheckpoint } from '../../../../../shared/ledger/evidence/chain/advance-chain.ts'
import { objectKey } from '../../../../../shared/ledger/evidence/checkpoint/checkpoint-store.ts'
import { getArtifact } from '../../../../../shared/govern/completeness/latest.ts'
import { noteKey, openNote, parseCheckpoint } from '../../../../../shared/ledger/evidence/checkpoint/note.ts'
import { sequence } from '../../../../../shared/ledger/evidence/chain/sequence.ts'
import { verifyChain } from '../../../../../shared/ledger/evidence/verify/verify.ts'
import {
  cutTail,
  editAndRehash,
  editBlock,
  editHead,
  editHeader,
  insertStray,
  remove,
  removeBlock,
  rewriteFrom,
  swap,
} from '../tampering.ts'
import { foundedWorld, recordMany, setBack, SPACE, TABLE, toldViolations, type World } from '../world.ts'

const NAME = `countersign.example/${SPACE.tenant_id}/live`

let it: World
beforeEach(async () => {
  it = await foundedWorld()
})

const grow = async (count: number) => {
  const ids = await recordMany(it.ctx, count)
  await sequence(it.ctx)
  return ids
}
const minuteLater = () => it.clock.moveTo(it.clock.now() + 60_000)
const object = (size: number) => JSON.parse(it.s3.objects.get(objectKey(SPACE, size)) ?? '{}') as Record<string, string>
const sizes = () =>
  [...it.s3.objects.keys()]
    .flatMap((key) => /^checkpoints\/.*\/(\d+)\.json$/.exec(key)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)

describe('a checkpoint', () => {
  test('is a note that the public key opens, with size and root of the chain', async () => {
    await grow(3)

    expect(await checkpoint(it.ctx)).toBe('signed')
    const text = openNote(object(3).note ?? '', [noteKey(NAME, it.kms.spki)]) ?? ''
    expect(parseCheckpoint(text)).toMatchObject({ origin: NAME, size: 3 })
    expect(it.table.item(TABLE, checkpointKey(SPACE, 3))).toMatchObject({
      size: { N: '3' },
      note: { S: object(3).note },
    })
  })

  test('writes no artifact and no event, since the chain must not feed itself', async () => {
    await grow(3)
    const before = it.table.items(TABLE).length
    await checkpoint(it.ctx)

    expect(it.table.items(TABLE)).toHaveLength(before + 1)
  })

  test('is not repeated while nothing is new, nor before a minute is over', async () => {
    await grow(3)
    await checkpoint(it.ctx)
    minuteLater()
    expect(await checkpoint(it.ctx)).toBe('idle')

    await grow(1)
    await checkpoint(it.ctx)
    await grow(1)
    expect(await checkpoint(it.ctx)).toBe('idle')
    minuteLater()
    expect(await checkpoint(it.ctx)).toBe('signed')
    expect(sizes()).toEqual([3, 4, 5])
  })

  test('goes on from the one before', async () => {
    await grow(3)
    await checkpoint(it.ctx)
    minuteLater()
    await grow(4)
    await checkpoint(it.ctx)

    expect(object(7)).toMatchObject({ from: 3, block: 2 })
  })

  test('of an empty chain does not exist', async () => {
    expect(await checkpoint(it.ctx)).toBe('idle')
  })
})

describe('when a checkpoint is due', () => {
  const at = '2026-11-20T10:00:00.000Z'
  const now = Date.parse(at) + 45_000

  test.each([
    ['nothing new', 5, { size: 5, at }, undefined],
    ['never signed', 1, undefined, 0],
    ['signed 45 seconds ago', 6, { size: 5, at }, 15_000],
    ['a thousand unsigned', 1_005, { size: 5, at }, 0],
    ['fewer than were signed', 4, { size: 5, at }, 0],
    ['signed in the future', 6, { size: 5, at: '2026-11-20T11:00:00.000Z' }, 0],
  ])('is told with %s', (_, size, newest, wait) => {
    expect(waitBeforeCheckpoint(now, size, newest)).toBe(wait)
  })
})

describe('a clock that was set back', () => {
  test('neither stops the signing nor lets the answer say that all is signed before it is', async () => {
    await grow(3)
    await checkpoint(it.ctx)
    await recordMany(it.ctx, 1)
    await advanceChain(it.ctx)
    it.sqs.messages.splice(0)
    setBack(it, 3_600_000)
    const ids = await recordMany(it.ctx, 2)

    const before = await verifyChain(it.ctx, 'api')
    expect(before).toMatchObject({ chain_valid: true, signature_status: 'stale' })
    expect(it.sqs.messages).toMatchObject([{ delaySeconds: 0 }])
    expect(await checkpoint(it.ctx)).toBe('signed')
    expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: true, signature_status: 'all_verified' })
    expect((await getArtifact(it.ctx, ids[1] ?? '')).chain_status).toBe('anchored')
  })
})

describe('crashes and races', () => {
  test('a crash before the table is written is mended by the next run, without a second signature', async () => {
    await grow(3)
    it.table.hooks.before = ({ name }) => {
      if (name === 'TransactWriteItems') throw new Error('crash')
    }
    await expect(checkpoint(it.ctx)).rejects.toThrow('crash')
    it.table.hooks = {}
    const note = object(3).note

    expect(await checkpoint(it.ctx)).toBe('idle')
    expect(object(3).note).toBe(note)
    expect(it.table.item(TABLE, checkpointKey(SPACE, 3))).toMatchObject({ note: { S: note } })
  })

  test.each([true, false])(
    'of two at once one signs and the other adopts it (store knows If-None-Match: %s)',
    async (known) => {
      it.s3.conditional = known
      await grow(3)
      const outcomes = await Promise.all([checkpoint(it.ctx), checkpoint(it.ctx)])

      expect(outcomes).not.toContain('refused')
      expect(sizes()).toEqual([3])
      expect(it.table.item(TABLE, checkpointKey(SPACE, 3))).toBeDefined()
    },
  )

  test('another root of the same size is never signed over', async () => {
    await grow(3)
    await checkpoint(it.ctx)
    const other = it.s3.objects.get(objectKey(SPACE, 3)) ?? ''
    it = await foundedWorld()
    await grow(3)
    it.s3.beforePut = (key) => it.s3.objects.set(key, other)

    expect(await checkpoint(it.ctx)).toBe('refused')
    expect(it.s3.objects.get(objectKey(SPACE, 3))).toBe(other)
  })

  test('without KMS nothing is signed, and everything once it is back', async () => {
    await grow(3)
    await checkpoint(it.ctx)
    minuteLater()
    await grow(2)
    it.kms.down = true
    await expect(checkpoint(it.ctx)).rejects.toThrow()
    await grow(2)
    it.kms.down = false

    expect(await checkpoint(it.ctx)).toBe('signed')
    expect(sizes()).toEqual([3, 7])
  })
})

type Tampering = [what: string, tamper: (ids: string[]) => void]

const TAMPERINGS: Tampering[] = [
  ['a changed field', ([, , , , id = '']) => void editHeader(it, id)],
  ['a changed and rehashed artifact', ([, , , , id = '']) => editAndRehash(it, id)],
  ['a deleted artifact', ([, , , , , id = '']) => remove(it, id)],
  ['swapped artifacts', ([, , , , a = '', b = '']) => swap(it, a, b)],
  ['an inserted artifact', ([, , , , id = '']) => void insertStray(it, id)],
  ['a deleted block', () => removeBlock(it, 2)],
  ['another root in a block', () => editBlock(it, 2, { root_after: new Uint8Array(32) })],
  ['another link in the head', () => editHead(it, { last: new Uint8Array(32) })],
  ['a head that claims more', () => editHead(it, { size: 9 })],
  ['a suffix that was rewritten from below the last checkpoint', () => rewriteFrom(it, 1)],
  [
    'a tail that was cut below the last checkpoint',
    () => {
      cutTail(it)
      cutTail(it)
    },
  ],
]

describe('the checkpointer refuses', () => {
  test.each(TAMPERINGS)('%s', async (_, tamper) => {
    const ids = await grow(4)
    await checkpoint(it.ctx)
    ids.push(...(await grow(4)))
    minuteLater()
    tamper(ids)

    expect(await checkpoint(it.ctx)).toBe('refused')
    expect(sizes()).toEqual([4])
    expect(toldViolations(it)).toHaveLength(1)
  })

  test('and tells it once, however often it is asked', async () => {
    const [, id = ''] = await grow(4)
    remove(it, id)

    expect(await checkpoint(it.ctx)).toBe('refused')
    expect(await checkpoint(it.ctx)).toBe('refused')
    expect(toldViolations(it)).toMatchObject([{ data: { check_id: 'EVD-01', failing_ids: [id] } }])
  })

  test('to go on from a checkpoint that we did not sign', async () => {
    await grow(4)
    await checkpoint(it.ctx)
    minuteLater()
    await grow(1)
    const forged = { ...object(4), link: '0'.repeat(64), frontier: ['0'.repeat(64)] }
    it.s3.objects.set(objectKey(SPACE, 4), JSON.stringify(forged))

    expect(await checkpoint(it.ctx)).toBe('refused')
  })

  test('to believe the table when the bucket holds a newer checkpoint', async () => {
    await grow(4)
    await checkpoint(it.ctx)
    minuteLater()
    await grow(1)
    await checkpoint(it.ctx)
    it.table.tamper(TABLE, checkpointKey(SPACE, 5), () => undefined)
    cutTail(it)
    await grow(2)
    minuteLater()

    expect(await checkpoint(it.ctx)).toBe('refused')
  })
})
