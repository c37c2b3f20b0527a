// Moves a chain on: sequences pending artifacts, requests a checkpoint when one is due, and notes in the index of due work
// when its signature would be late. Called by the stream handler, verification, and the sweeper.
import type { Context, Space } from '../../../base/context.ts'
import { alarm } from '../../../base/lib/log.ts'
import { entity, type Stored } from '../../../base/table/entity.ts'
import { chainKey, type Checkpoint, type Head } from './chain.ts'
import { chainName } from '../artifact/hashes.ts'
import { newestCheckpoints } from './read-chain.ts'
import { enqueueCheckpoint } from './enqueue.ts'
import { sequence } from './sequence.ts'
import * as z from 'zod'
import { iso } from '../../../base/lib/clock.ts'
import { memory } from '../../../base/lib/memory.ts'
import { dueAt } from '../../../base/table/due.ts'
import { spaceMembers } from '../../../base/table/members.ts'
import { unlessChangedMeanwhile } from '../../../base/kernel/retry.ts'

const RUN_MS = 20_000

/**
 * Sequences pending artifacts until `until` (ms), and enqueues a checkpoint if one is due or will be. Returns the head;
 * undefined for a space without a chain. Artifacts that are gone or changed raise an alarm. It may run twice at once, and after a
 * crash any later run goes on: with the next artifact, or by the sweeper once the signature is late.
 */
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

/** A checkpoint is due a minute after the last one, or as soon as a thousand artifacts are unsigned. */
const AFTER_MS = 60_000
const AFTER_ARTIFACTS = 1_000

/** Time (ms) until a checkpoint is due; undefined when nothing is unsigned. */
export function waitBeforeCheckpoint(
  now: number,
  size: number,
  newest: Pick<Checkpoint, 'size' | 'at'> | undefined,
): number | undefined {
  const unsigned = size - (newest?.size ?? 0)
  if (unsigned === 0) return undefined
  // A negative number means that the chain was cut; the checkpointer reports it.
  if (!newest || unsigned < 0 || unsigned >= AFTER_ARTIFACTS) return 0
  // A signature in the future means that the clock was set back. Then the rest is signed at once instead of waiting.
  const since = now - Date.parse(newest.at)
  return since < 0 ? 0 : Math.max(0, AFTER_MS - since)
}

/** A signature is late when it is missing for this time after it was due. */
const LATE_MS = 120_000
/** Clocks of two containers differ by less. */
const SKEW_MS = 30_000

/** Puts a chain with something to sign into the index of due work, for the case that its queue message is lost. */
export const signaturesDue = entity({
  name: 'SIGN',
  unbound: 'bounded',
  schema: z.object({ ...spaceMembers, due_at: z.string() }),
  key: (space: Space) => ({ pk: chainKey(space), sk: 'SIGN' }),
  index: ({ due_at, tenant_id, mode }) => dueAt(due_at, `${tenant_id}.${mode}`),
})

/** Until when (ms) each chain is known to be in the index. */
const knownUntil = memory<number>()

/**
 * Makes the sweeper look at the chain when no signature came in time. `wait` (ms): until the signature is due. A signature that
 * comes in time moves nothing: the sweeper looks once, after the last artifact.
 */
async function expectSignature(ctx: Context, wait: number): Promise<void> {
  const { table, space } = ctx
  const now = ctx.now()
  const chain = chainName(space)
  const soon = now + SKEW_MS
  if ((knownUntil.get(chain) ?? 0) > soon) return
  const was = await table.get(signaturesDue, space)
  const known = was ? Date.parse(was.due_at) : 0
  const due = known > soon ? known : now + wait + LATE_MS
  if (due !== known) {
    const next = { ...space, due_at: iso(due) }
    // Another container may move it at the same time, to about the same time.
    await unlessChangedMeanwhile(table.commit([was ? signaturesDue.replace(next, was) : signaturesDue.insert(next)]))
  }
  knownUntil.set(chain, due)
}
