// Limits unknown API keys from one address. Keys cannot be guessed, but each attempt costs a look-up. Known keys keep working
// from a blocked address, because many people may share it (decision 0027).
import { MINUTE_MS } from '../../base/lib/durations.ts'
import { addNow } from '../../base/kernel/count.ts'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import * as z from 'zod'
import { Failure } from '../../base/lib/failure.ts'
import { sha256 } from '../../base/lib/hash.ts'
import { warn } from '../../base/lib/log.ts'
import { memory } from '../../base/lib/memory.ts'
import { entity, key } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'

/** Most unknown keys of one address within a minute. */
export const UNKNOWN_KEYS_MAX = 30
export const BLOCK_MS = 600_000

const hashOf = (ip: string) => sha256(ip || 'unknown').toString('base64url')

const blocks = entity({
  name: 'BLOCK',
  unbound: 'bounded',
  schema: z.object({ until: z.int() }),
  key: ({ ip }: { ip: string }) => ({ pk: key('BLOCK', 'keys', hashOf(ip)), sk: 'B' }),
})

const counterKey = (ip: string, minute: number) => ({
  pk: key('COUNTER', 'unknown_key_flood', hashOf(ip), String(minute)),
  sk: 'C',
})

/** Blocks that this container has read or made, so that they need no further read. */
const known = memory<number>()

/** ms for which an address must wait as far as this container knows. */
export const rememberedBlock = (table: Table, ip: string): number =>
  Math.max(0, (known.get(ip) ?? 0) - table.clock.now())

/** ms for which the address must wait; 0 when it is not blocked. The read joins the batch of the look-up of the key. */
export async function blockOf(table: Table, ip: string): Promise<number> {
  const { until = 0 } = (await table.get(blocks, { ip })) ?? {}
  if (until > table.clock.now()) known.set(ip, until)
  return rememberedBlock(table, ip)
}

export function tooManyUnknown(ms: number): Failure {
  const retryAfterSeconds = Math.ceil(ms / 1_000)
  return new Failure('rate_limited', `Too many unknown API keys. Retry in ${retryAfterSeconds} seconds.`, {
    retryAfterSeconds,
  })
}

/** Counts an unknown key. The last one allowed in a minute blocks the address. If counting fails, nothing is blocked. */
export async function noteUnknownKey(table: Table, ip: string): Promise<void> {
  try {
    const now = table.clock.now()
    if ((await countOne(table, ip, now)) < UNKNOWN_KEYS_MAX) return
    const until = now + BLOCK_MS
    await table.update(blocks.key({ ip }), { set: { until, _type: blocks.name, _ttl: Math.ceil(until / 1_000) } })
    known.set(ip, until)
    warn('unknown_key_flood', `${UNKNOWN_KEYS_MAX} unknown keys in a minute`, { address: hashOf(ip) })
  } catch (error) {
    warn('unknown_key_not_counted', error)
  }
}

async function countOne(table: Table, ip: string, now: number): Promise<number> {
  const counted = await addNow(table, {
    at: counterKey(ip, Math.floor(now / MINUTE_MS)),
    add: [['n', 1]],
    set: { _ttl: Math.ceil((now + 2 * MINUTE_MS) / 1_000) },
  })
  return Number(unmarshall(counted).n ?? 0)
}
