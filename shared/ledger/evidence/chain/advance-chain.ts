// Sequences pending artifacts and requests a checkpoint when one is due. Called by the stream handler, the minute sweeper
// and verification.
import { type Context, systemContext } from '../../../base/context.ts'
import type { Clock } from '../../../base/lib/clock.ts'
import { inParallel } from '../../../base/lib/in-parallel.ts'
import { alarm } from '../../../base/lib/log.ts'
import { spaceOf, type Stored } from '../../../base/table/entity.ts'
import type { Table } from '../../../base/table/table.ts'
import { CHAINS, type Head, heads } from './chain.ts'
import { waitBeforeCheckpoint } from './checkpoint-due.ts'
import { chainName } from '../artifact/hashes.ts'
import { newestCheckpoints } from './read-chain.ts'
import { enqueueCheckpoint } from './enqueue.ts'
import { sequence } from './sequence.ts'

const CHAINS_AT_ONCE = 8
const BUSY_MS = 15 * 60_000
const RUN_MS = 20_000
const MINUTES_PER_HOUR = 60

/** Sequences pending artifacts until `until` (ms), and enqueues a checkpoint if one is due or will be. */
export async function advanceChain(
  ctx: Context,
  until: number = ctx.now() + RUN_MS,
): Promise<Stored<Head> | undefined> {
  const { head, lost } = await sequence(ctx, until)
  const chain = chainName(ctx.space)
  for (const artifact_id of lost)
    alarm('evidence.artifact_lost', new Error('the announced artifact is gone or changed'), { chain, artifact_id })
  if (!head) return undefined
  const [newest] = await newestCheckpoints(ctx, 1)
  const wait = waitBeforeCheckpoint(ctx.now(), head.size, newest)
  if (wait !== undefined) await enqueueCheckpoint(ctx.space, wait)
  return head
}

/**
 * Maintains every chain that had artifacts in the last 15 minutes, and each other chain once an hour. A failure of one chain
 * does not stop the others.
 */
export async function advanceChains(table: Table, clock: Clock): Promise<void> {
  const all = await table.query(heads, { pk: CHAINS, index: 'gsi2' })
  await inParallel(
    CHAINS_AT_ONCE,
    all.filter((head) => isDue(head, clock.now())),
    async (head) => {
      const space = spaceOf(head.pk)
      if (!space) return
      try {
        await advanceChain(systemContext(space))
        // Only this lets an idle chain notice a change of the signing key.
        if (!isBusy(head, clock.now())) await enqueueCheckpoint(space, 0)
      } catch (error) {
        alarm('evidence.chain_not_advanced', error, { chain: chainName(space) })
      }
    },
  )
}

const isBusy = ({ last_at }: Head, now: number): boolean => last_at !== undefined && Date.parse(last_at) > now - BUSY_MS

function isDue(head: Head, now: number): boolean {
  const { pk } = head
  if (isBusy(head, now)) return true
  // The last, random character of the tenant's id spreads the chains over the hour.
  const [, tenant = ''] = pk.split('#')
  return Math.floor(now / 60_000) % MINUTES_PER_HOUR === tenant.charCodeAt(tenant.length - 1) % MINUTES_PER_HOUR
}
