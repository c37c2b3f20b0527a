import { beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../../../shared/base/context.ts'
import { nameOf } from '../../../../shared/base/table/entity.ts'
import { Recount, reserve } from '../../../../shared/govern/limits/counting.ts'
import type { Counter } from '../../../../shared/govern/limits/counters.ts'
import { counterItems } from '../../../../shared/govern/limits/item.ts'
import { type Reserved, shardName, shareOf, weigh } from '../../../../shared/govern/limits/weigh.ts'
import { bucketAt, noteContended } from '../../../../shared/govern/limits/window.ts'
import { Service } from '../../deliver/webhooks/service.ts'

const MINUTE = 60_000
const many: Counter = {
  policy_id: 'pol_1',
  name: 'pol_1',
  hash: 'a'.repeat(32),
  n: 1n,
  max: 16_007n,
  windowMs: MINUTE,
  shards: 16,
  shadow: false,
  requests: false,
  give_back: [],
}
const SHARDS = Array.from({ length: 16 }, (_, index) => shardName(index))

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

/** Chooses the item with this number first. */
const ctxFrom = (first: number) => ({ ...it.ctx(), random: () => new Uint8Array([first]) })

async function fill(...shards: number[]): Promise<void> {
  const mark = `m${bucketAt(MINUTE, it.clock.now()).toString(36)}`
  for (const shard of shards) {
    const of = counterItems.key({ ...it.ctx().space, ...many, shard: shardName(shard) })
    const { max } = shareOf(many, shardName(shard))
    await it.ctx().table.update(of, { set: { t: Number(max), [mark]: 0, e: 0 } })
  }
}

async function chosen(first: number) {
  const { weighed, over } = await weigh(ctxFrom(first), [{ policy_id: 'pol_1', counters: [many] }], new Map())
  return { shard: weighed[0]?.shard, over: over.get('pol_1') }
}

describe('a limit that is spread over sixteen items', () => {
  test('has no more room on them together than it allows, nor less', () => {
    expect(SHARDS.reduce((sum, shard) => sum + shareOf(many, shard).max, 0n)).toBe(many.max)
    expect(SHARDS.map((shard) => Number(shareOf(many, shard).max))).toEqual([1_007, ...Array(15).fill(1_000)])
  })

  test('counts on one by chance, and on two others where that is full', async () => {
    await fill(3, 8)

    expect(await chosen(7)).toEqual({ shard: '07', over: false })
    expect(await chosen(3)).toEqual({ shard: '0d', over: false })
    await fill(13)
    expect(await chosen(3)).toEqual({ shard: '03', over: true })
  })

  test('lets no more pass than it allows of those who come at once, and nearly as many', async () => {
    const few = { ...many, max: 160n }
    for (const shard of SHARDS) noteContended(it.ctx(), nameOf(counterItems.key({ ...it.ctx().space, ...few, shard })))
    const passes = async (ctx: Context): Promise<boolean> => {
      const reserved: Reserved = new Map()
      const scales = await weigh(ctx, [{ policy_id: 'pol_1', counters: [few] }], reserved)
      if (scales.over.get('pol_1')) return false
      return reserve(ctx, { ...scales, reserved }, 'run').then(
        () => true,
        (error: unknown) => (error instanceof Recount ? passes(ctx) : Promise.reject(error)),
      )
    }
    const all = await Promise.all(Array.from({ length: 240 }, (_, i) => passes(ctxFrom((i * 37) % 256))))

    const passed = all.filter(Boolean).length
    expect(passed).toBeLessThanOrEqual(160)
    expect(passed).toBeGreaterThanOrEqual(0.97 * 160)
  })

  test('goes on counting where it has reserved', async () => {
    const reserved = new Map([[`pol_1/${many.hash}`, { ...many, shard: '09', bucket: 1 }]])
    await fill(9)
    const { weighed, over } = await weigh(ctxFrom(1), [{ policy_id: 'pol_1', counters: [many] }], reserved)

    expect(weighed.map(({ shard }) => shard)).toEqual(['09'])
    expect(over.get('pol_1')).toBe(false)
  })
})
