import { beforeEach, describe, expect, test } from 'vitest'
import { artifactKey, pointerKey } from '../../../../../shared/ledger/evidence/artifact/artifact.ts'
import { sequence } from '../../../../../shared/ledger/evidence/chain/sequence.ts'
import { toAttributes } from '../../../../../shared/base/table/entity.ts'
import { expectWholeChain } from '../chain-state.ts'
import { editHead } from '../tampering.ts'
import { foundedWorld, recordMany, SPACE, TABLE, type World } from '../world.ts'
import { runs } from '../../../../support/runs.ts'

let it: World
beforeEach(async () => {
  it = await foundedWorld()
})

test('artifacts get their positions in the order of their ids', async () => {
  const ids = await recordMany(it.ctx, 5)

  expect(await sequence(it.ctx)).toMatchObject({
    sequenced: 5,
    lost: [],
    head: { size: 5, last_block: 1, finalized: 1 },
  })
  expectWholeChain(it, ids)
})

test('later artifacts continue the chain in further blocks', async () => {
  const ids = await recordMany(it.ctx, 3)
  await sequence(it.ctx)
  ids.push(...(await recordMany(it.ctx, 4)))
  const { head } = await sequence(it.ctx)

  expectWholeChain(it, ids)
  expect(head).toMatchObject({ last_block: 2, counts: { 'manifest.registered': 7 } })
})

test('a doubled doorbell changes nothing', async () => {
  const ids = await recordMany(it.ctx, 2)
  await sequence(it.ctx)

  expect(await sequence(it.ctx)).toMatchObject({ sequenced: 0 })
  expectWholeChain(it, ids)
})

test('a block is two items in one transaction, whatever its size', async () => {
  await recordMany(it.ctx, 30)
  const before = it.table.calls['TransactWriteItems'] ?? 0
  const sizes: number[] = []
  it.table.hooks.before = ({ name, input }) => {
    if (name === 'TransactWriteItems' && 'TransactItems' in input) sizes.push((input.TransactItems as []).length)
  }
  await sequence(it.ctx)

  expect(sizes).toEqual([2, 1]) // the block with its head, then the head alone
  expect((it.table.calls['TransactWriteItems'] ?? 0) - before).toBe(2)
})

test('more than a block holds become several blocks', async () => {
  const ids = await recordMany(it.ctx, 1_500)
  const { head } = await sequence(it.ctx)

  expect(head).toMatchObject({ size: 1_500, last_block: 2 })
  expectWholeChain(it, ids)
})

test('an announced artifact that is gone is reported and the chain goes on', async () => {
  const ids = await recordMany(it.ctx, 3)
  const gone = ids[1] ?? ''
  it.table.tamper(TABLE, artifactKey(SPACE, gone), () => undefined)

  expect(await sequence(it.ctx)).toMatchObject({ sequenced: 3, lost: [gone] })
  expect(it.table.item(TABLE, pointerKey(SPACE, gone))).toBeUndefined()
  expect(it.table.item(TABLE, artifactKey(SPACE, gone))).toBeUndefined()
})

test('an artifact that was changed before it got a position is reported and keeps none', async () => {
  const [id = ''] = await recordMany(it.ctx, 1)
  it.table.tamper(TABLE, artifactKey(SPACE, id), (item) => ({ ...item, ...toAttributes({ ah: new Uint8Array(32) }) }))

  expect(await sequence(it.ctx)).toMatchObject({ lost: [id] })
  expect(it.table.item(TABLE, artifactKey(SPACE, id))).not.toHaveProperty('seq')
})

test('a head that was set back is an error, not an endless race', async () => {
  await recordMany(it.ctx, 2)
  await sequence(it.ctx)
  await recordMany(it.ctx, 1)
  editHead(it, { last_block: 0, finalized: 0 })

  await expect(sequence(it.ctx)).rejects.toThrow('behind its blocks')
})

test('a deadline ends the work between two blocks', async () => {
  await recordMany(it.ctx, 2)

  expect(await sequence(it.ctx, 0)).toMatchObject({ sequenced: 0 })
})

test('a space without a chain has nothing to sequence', async () => {
  it.ctx.space = { tenant_id: 'ten_other', mode: 'test' }

  expect(await sequence(it.ctx)).toEqual({ sequenced: 0, lost: [], isStopped: false, head: undefined })
})

class Crash extends Error {}

describe('a run that crashes', () => {
  /** How many calls one undisturbed run makes. */
  const CALLS = 19

  test.each(Array.from({ length: CALLS }, (_, call) => call))('before or after call %i loses nothing', async (call) => {
    const ids = await recordMany(it.ctx, 4)
    for (const side of ['before', 'after'] as const) {
      let calls = 0
      it.table.hooks = {
        [side]: () => {
          if (calls++ === call) throw new Crash()
        },
      }
      await sequence(it.ctx).catch((error: unknown) => expect(error).toBeInstanceOf(Crash))
      it.table.hooks = {}
      ids.push(...(await recordMany(it.ctx, 2)))
    }
    await sequence(it.ctx)

    expectWholeChain(it, ids)
  })
})

/** A seeded generator (mulberry32), so that a failing run can be run again. */
function randomness(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Whatever a crash left behind: the artifacts that are really there. */
const committed = () =>
  it.table
    .items(TABLE)
    .filter((item) => item._type?.S === 'EV')
    .map((item) => `art_${item.sk?.S}`)

describe('random runs with up to four sequencers, crashes and new artifacts', () => {
  const { numRuns } = runs(100, 10)

  test(`lose, double and leave nothing in ${numRuns} runs`, async () => {
    for (let seed = 1; seed <= numRuns; seed += 1) {
      it = await foundedWorld()
      const random = randomness(seed)
      await recordMany(it.ctx, Math.ceil(random() * 12))
      const disturb = async () => {
        for (let ticks = Math.floor(random() * 6); ticks > 0; ticks -= 1) await Promise.resolve()
        if (random() < 0.05) throw new Crash()
      }
      const sequencers = Array.from({ length: Math.ceil(random() * 4) }, async () => {
        for (let rounds = 0; rounds < 4; rounds += 1) {
          await sequence(it.ctx).catch((error: unknown) => expect(error).toBeInstanceOf(Crash))
        }
      })
      const recorder = recordMany(it.ctx, 6).catch((error: unknown) => expect(error).toBeInstanceOf(Crash))
      it.table.hooks = { before: disturb, after: disturb }
      await Promise.all([recorder, ...sequencers])
      it.table.hooks = {}
      await sequence(it.ctx)

      expectWholeChain(it, committed())
    }
  })
})
