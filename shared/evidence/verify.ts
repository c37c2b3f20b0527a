// Verifies a chain and records that it did. The answer to a broken chain is not an error: the finding is the answer.
import type { Context } from '../context.ts'
import type { EventDraft } from '../events/event.ts'
import { iso } from '../lib/clock.ts'
import { alarm } from '../lib/log.ts'
import { newArtifacts, POINTER_SHARDS, pointerShardKey } from './artifact.ts'
import { verifyStateKey, verifyStates } from './chain.ts'
import { examine } from './examine.ts'
import { chainName } from './hashes.ts'
import { keepChain } from './keep-chain.ts'
import { verifierKey } from './note.ts'
import { checkpointName, newestCheckpoints, readGenesis } from './read-chain.ts'
import { recorded } from './record.ts'
import { violation } from './refuse.ts'
import { checkpointKeyOf } from './signing-key.ts'
import { type Examined, verdict } from './verdict.ts'

const SEQUENCING_MS = 1_000
const FIRST_CHECKPOINT_MS = 2_000
const POLL_MS = 100
const FINDINGS_KEPT = 100

export type Trigger = 'api' | 'schedule'
export type Verification = Awaited<ReturnType<typeof verifyChain>>

/** Brings the chain of this space up to date, checks it, and commits the artifact that says so. */
export async function verifyChain(ctx: Context, trigger: Trigger) {
  const head = await keepChain(ctx, ctx.now() + SEQUENCING_MS).catch((error: unknown) =>
    alarm('evidence.not_sequenced', error, { chain: chainName(ctx.space) }),
  )
  if (head && head.size > 0) await awaitFirstCheckpoint(ctx)
  const [genesis, state, pending] = await Promise.all([
    readGenesis(ctx),
    ctx.table.get(verifyStates, verifyStateKey(ctx.space)),
    countPending(ctx),
  ])
  const key = await checkpointKeyOf(checkpointName(genesis, ctx.space))
  const examined = await examine(ctx, { genesis, key, open: state?.last_full?.broken ?? [] })
  const { verification, ...result } = verdict(examined)
  const verification_id = ctx.id('ver')
  const last_full = examined.mode === 'full' ? fullPass(examined, result.chain_valid) : state?.last_full
  await commit(ctx, { trigger, verification_id, examined, result, last_full })
  return {
    ...result,
    verification: {
      verification_id,
      ...verification,
      pending,
      ...(last_full && { last_full }),
      verifier_keys: [verifierKey(key)],
    },
  }
}

/** A young chain is signed within a moment; only then is waiting for it worth the caller's time. */
async function awaitFirstCheckpoint(ctx: Context): Promise<void> {
  const until = ctx.now() + FIRST_CHECKPOINT_MS
  while ((await newestCheckpoints(ctx, 1)).length === 0 && ctx.now() < until) await ctx.clock.sleep(POLL_MS)
}

async function countPending(ctx: Context): Promise<number> {
  const shards = Array.from({ length: POINTER_SHARDS }, (_, shard) =>
    ctx.table.count({ pk: pointerShardKey(ctx.space, shard) }),
  )
  return (await Promise.all(shards)).reduce((sum, { total }) => sum + total, 0)
}

const fullPass = ({ now, head, findings }: Examined, valid: boolean) => ({
  at: iso(now),
  size: head.size,
  result: valid ? ('valid' as const) : ('broken' as const),
  broken: findings.slice(0, FINDINGS_KEPT),
})

type Outcome = {
  trigger: Trigger
  verification_id: string
  examined: Examined
  result: Omit<ReturnType<typeof verdict>, 'verification'>
  last_full: ReturnType<typeof fullPass> | undefined
}

/** Each receiver of the event becomes a witness of size and root. */
async function commit(ctx: Context, { trigger, verification_id, examined, result, last_full }: Outcome): Promise<void> {
  const chain = chainName(ctx.space)
  const signed = {
    checkpoint_size: examined.anchor?.size ?? 0,
    checkpoint_root: Buffer.from(examined.anchor?.root ?? []).toString('base64'),
  }
  const [artifact] = newArtifacts(ctx, {
    type: 'evidence.chain.verified',
    subject: { type: 'chain', id: chain },
    data: { result: result.chain_valid ? 'valid' : 'broken', verification_id, trigger, ...signed },
  })
  const subject = { id: verification_id, version: 1 }
  const events: EventDraft[] = [
    { type: 'evidence.chain.verified', subject, data: { ...result, verification_id, trigger, ...signed } },
  ]
  if (!result.chain_valid) {
    alarm('evidence.chain_broken', new Error('verification failed'), { chain, verification_id })
    events.push({ type: 'compliance.violation.detected', subject, data: violation(ctx.id('vio'), examined.findings) })
  }
  const set = { last_full, _type: verifyStates.name }
  await ctx.table.commit([
    verifyStates.update(verifyStateKey(ctx.space), { set }),
    ...recorded(ctx, [{ artifact, events }]),
  ])
}
