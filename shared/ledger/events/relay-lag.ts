import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { ulid } from '../../base/lib/ids.ts'
import { entity, type Key, spaceKey } from '../../base/table/entity.ts'
import { logHead } from './log.ts'
import { SHARDS } from './outbox-item.ts'

/** So many items of a shard are looked at: the newest one of the log, and the one behind it. */
const LOOKED_AT = 2
const TIME_LETTERS = 10

const relayed = entity({
  name: 'OUTBOX',
  unbound: 'proven by artifacts',
  schema: z.object({ at: z.int(), position: z.int().optional() }),
  key: ({ pk, sk }: Key) => ({ pk, sk }),
})

/** How long (ms) the oldest commit has waited that is newer than the log and not in it; 0 when none waits. */
export async function relayLag(ctx: Context): Promise<number> {
  const { at = 0 } = await logHead(ctx)
  const from = ulid(at, ctx.random).slice(0, TIME_LETTERS)
  const shards = Array.from({ length: SHARDS }, (_, shard) =>
    ctx.table.query(relayed, { pk: spaceKey(ctx.space, 'OUT', String(shard)), from, limit: LOOKED_AT }),
  )
  const waiting = (await Promise.all(shards)).flat().filter(({ position }) => position === undefined)
  return Math.max(0, ...waiting.map((item) => ctx.now() - item.at))
}
