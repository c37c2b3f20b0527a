import { beforeEach, expect, test } from 'vitest'
import { checkpoint } from '../../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { CheckpointView, listCheckpoints } from '../../../../../shared/ledger/evidence/checkpoint/signers.ts'
import { openNote, parseCheckpoint, parseVerifierKey } from '../../../../../shared/ledger/evidence/checkpoint/note.ts'
import { sequence } from '../../../../../shared/ledger/evidence/chain/sequence.ts'
import { foundedWorld, recordMany, SPACE, type World } from '../world.ts'

let it: World

beforeEach(async () => {
  it = await foundedWorld()
  for (let round = 0; round < 3; round += 1) {
    await recordMany(it.ctx, 2)
    await sequence(it.ctx)
    it.clock.moveTo(it.clock.now() + 60_000)
    await checkpoint(it.ctx)
  }
})

test('checkpoints come newest first, each a note that the handed-out key opens', async () => {
  const { items, total, verifier_keys } = await listCheckpoints(it.ctx, { offset: 0 })

  expect(items.map(({ size }) => size)).toEqual([6, 4, 2])
  expect(total).toBe(3)
  for (const item of items) {
    const signed = parseCheckpoint(openNote(item.note, verifier_keys.map(parseVerifierKey)) ?? '')
    expect(signed?.size).toBe(CheckpointView.parse(item).size)
    expect(Buffer.from(signed?.root ?? []).toString('base64')).toBe(item.root)
  }
})

test('an offset and a limit choose among them', async () => {
  const { items, total } = await listCheckpoints(it.ctx, { offset: 1, limit: 1 })

  expect(items.map(({ size }) => size)).toEqual([4])
  expect(total).toBe(3)
})

test('another mode has its own', async () => {
  it.ctx.space = { ...SPACE, mode: 'test' }

  expect(await listCheckpoints(it.ctx, { offset: 0 })).toMatchObject({ items: [], total: 0 })
})
