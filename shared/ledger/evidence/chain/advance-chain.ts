// Sequences pending artifacts and requests a checkpoint when one is due. Called by the stream handler, verification, and the
// sweeper for chains whose signature is late.
import type { Context } from '../../../base/context.ts'
import { alarm } from '../../../base/lib/log.ts'
import type { Stored } from '../../../base/table/entity.ts'
import type { Head } from './chain.ts'
import { waitBeforeCheckpoint } from './checkpoint-due.ts'
import { chainName } from '../artifact/hashes.ts'
import { newestCheckpoints } from './read-chain.ts'
import { enqueueCheckpoint } from './enqueue.ts'
import { sequence } from './sequence.ts'
import { expectSignature } from './signature-due.ts'

const RUN_MS = 20_000

/** Sequences pending artifacts until `until` (ms), and enqueues a checkpoint if one is due or will be. */
export async function advanceChain(
  ctx: Context,
  until: number = ctx.now() + RUN_MS,
): Promise<Stored<Head> | undefined> {
  const { head, lost, isStopped } = await sequence(ctx, until)
  const chain = chainName(ctx.space)
  for (const artifact_id of lost)
    alarm('evidence.artifact_lost', new Error('the announced artifact is gone or changed'), { chain, artifact_id })
  if (!head) return undefined
  const [newest] = await newestCheckpoints(ctx, 1)
  const wait = waitBeforeCheckpoint(ctx.now(), head.size, newest)
  if (wait !== undefined || isStopped) await expectSignature(ctx, wait ?? 0)
  if (wait !== undefined) await enqueueCheckpoint(ctx.space, wait)
  return head
}
