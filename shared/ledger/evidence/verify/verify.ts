// Verifies a chain and records the verification. A broken chain is not an error: the answer lists the findings.
import type { Measure } from '../../../base/catalog/measures.ts'
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { alarm } from '../../../base/lib/log.ts'
import { retryWhenChanged } from '../../../base/kernel/retry.ts'
import { closeViolation, reportViolation } from '../../violations/violation.ts'
import { newArtifact, POINTER_SHARDS, pointerShardKey } from '../artifact/artifact.ts'
import { openBreak, sealed, sealedResults, storeBreak, storeRepair } from './results.ts'
import { examine, type Examined, verdict } from './examine.ts'
import { chainName } from '../artifact/hashes.ts'
import { advanceChain } from '../chain/advance-chain.ts'
import { NO_GAPS } from './gaps.ts'
import { isStale } from './leases.ts'
import { newestCheckpoints, readGenesis } from '../chain/read-chain.ts'
import { commitWith, type Transition } from '../artifact/record.ts'
import { brokenChain, CHAIN_CHECK, Refused, refusedSoFar } from '../chain/refused.ts'
import { signersOf, verifierKeys } from '../checkpoint/signers.ts'
import {
  Completeness,
  LastFull,
  readState,
  type Trigger,
  type VerifyState,
  verifyStateKey,
  verifyStates,
} from './verify-state.ts'
import * as z from 'zod'

const SEQUENCING_MS = 1_000
const FIRST_CHECKPOINT_MS = 2_000
const POLL_MS = 100
const FINDINGS_KEPT = 100

/**
 * Sequences the chain of this space, verifies it, and commits an artifact with the result. A broken chain opens the violation
 * `EVD-01` and stores the break in the bucket; a valid one closes both. Results in the table count only with the seal of the
 * service. After a crash nothing of it is stored, or the break alone, and the next verification goes on from there.
 */
export async function verifyChain(ctx: Context, trigger: Trigger): Promise<Verification> {
  const head = await advanceChain(ctx, ctx.now() + SEQUENCING_MS).catch((error: unknown) =>
    alarm('evidence.not_sequenced', error, { chain: chainName(ctx.space) }),
  )
  if (head && head.size > 0) await awaitFirstCheckpoint(ctx)
  const [genesis, state, pending, refused] = await Promise.all([
    readGenesis(ctx),
    readState(ctx),
    countPending(ctx),
    refusedSoFar(ctx),
  ])
  const [signers, known, found] = await Promise.all([
    signersOf(ctx, genesis),
    sealedResults(ctx, state),
    openBreak(ctx.space),
  ])
  const examined = await examine(ctx, { genesis, signers, last: known.last_full, openBreak: found })
  const { verification, ...result } = verdict(examined)
  const verification_id = ctx.id('ver')
  const pass = passOf(examined, result.chain_valid)
  await commit(ctx, { trigger, verification_id, examined, result, pass })
  const last_full = examined.mode === 'full' ? pass : known.last_full
  const isOld = ({ at }: LastFull) => examined.mode !== 'full' && isStale(state, at, examined.now)
  return {
    ...result,
    verification: {
      verification_id,
      ...verification,
      pending,
      ...(last_full && { last_full: { ...last_full, ...(isOld(last_full) && { stale: true as const }) } }),
      ...(state?.job && { job_id: state.job.id }),
      completeness: shownCompleteness(known.completeness, state, examined.now),
      ...(refused && { refused }),
      verifier_keys: verifierKeys(signers),
    },
  }
}

/** A complete result becomes stale when the next check is overdue. Gaps stay until a check no longer finds them. */
function shownCompleteness(of: Completeness | undefined, state: VerifyState | undefined, now: number): Completeness {
  const found = of ?? { result: 'unknown' as const, ...NO_GAPS }
  return found.result === 'complete' && isStale(state, found.checked_at, now) ? { ...found, result: 'stale' } : found
}

/** Waits for the first checkpoint, which a new chain gets within two seconds. */
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

/** The part of the result that the state stores. An invalid checkpoint without a wrong artifact is a finding, too. */
function passOf({ began, now, head, findings, signatureFailed }: Examined, valid: boolean): LastFull {
  const unsigned = { sequence: Math.max(0, head.size - 1), artifact_id: null, reason: 'signature' as const }
  const broken = signatureFailed && findings.length === 0 ? [unsigned] : findings.slice(0, FINDINGS_KEPT)
  return { began_at: iso(began), at: iso(now), size: head.size, result: valid ? 'valid' : 'broken', broken }
}

type Outcome = {
  trigger: Trigger
  verification_id: string
  examined: Examined
  result: Omit<ReturnType<typeof verdict>, 'verification'>
  pass: LastFull
}

/**
 * A broken chain opens its violation, and a valid one closes it. The break is stored before the commit and its repair after it:
 * if the function dies between them, the break is open.
 */
async function commit(ctx: Context, outcome: Outcome): Promise<void> {
  const { examined, result, pass, verification_id } = outcome
  if (!result.chain_valid) {
    const chain = chainName(ctx.space)
    alarm('evidence.chain_broken', new Error('verification failed'), { chain, verification_id })
    await storeBreak(ctx, 'verification failed', pass.broken)
  }
  const [own, ends] = [verified(ctx, outcome), restored(ctx, outcome)]
  const { broken: _, ...last_incremental } = pass
  const kept = examined.mode === 'full' ? await sealed(ctx, { last_full: pass }) : { last_incremental }
  await retryWhenChanged(async () => {
    const violation = result.chain_valid
      ? await closeViolation(ctx, CHAIN_CHECK)
      : await reportViolation(ctx, brokenChain(examined.findings))
    const { writes = [], transitions = [], measures = [] } = violation ?? {}
    await ctx.table.commit([
      verifyStates.update(verifyStateKey(ctx.space), { set: { ...kept, _type: verifyStates.name } }),
      ...writes,
      ...commitWith(ctx, [own, ...ends, ...transitions], { measures: [...measuresOf(examined, result), ...measures] }),
    ])
  })
  if (result.chain_valid && examined.openBreak) await storeRepair(ctx, verification_id)
}

/** The end of a break. */
function restored(ctx: Context, { examined, result, verification_id }: Outcome): Transition[] {
  if (!result.chain_valid || !examined.openBreak) return []
  const artifact = newArtifact(ctx, {
    type: 'evidence.chain.restored',
    subject: { type: 'chain', id: chainName(ctx.space) },
    data: { verification_id, broken_at: examined.openBreak.at },
  })
  return [{ artifact }]
}

function measuresOf({ walked }: Examined, { chain_valid }: Outcome['result']): Measure[] {
  return [
    ['v', chain_valid ? 1 : 0],
    ['w', walked.artifacts, walked.ms],
  ]
}

/** The event holds size and root, so each receiver becomes a witness of them. */
function verified(ctx: Context, { trigger, verification_id, examined, result }: Outcome): Transition {
  const signed = {
    checkpoint_size: examined.anchor?.size ?? 0,
    checkpoint_root: Buffer.from(examined.anchor?.root ?? []).toString('base64'),
  }
  const artifact = newArtifact(ctx, {
    type: 'evidence.chain.verified',
    subject: { type: 'chain', id: chainName(ctx.space) },
    data: { result: result.chain_valid ? 'valid' : 'broken', verification_id, trigger, ...signed },
  })
  const data = { ...result, verification_id, trigger, ...signed }
  return {
    artifact,
    events: [{ type: 'evidence.chain.verified', subject: { id: verification_id, version: 1 }, data }],
  }
}

const Details = z.object({
  verification_id: z.string().describe('Id of the verification.'),
  mode: z
    .enum(['full', 'incremental'])
    .describe('Whether the whole chain was verified, or only the part since the last full pass.'),
  checked_at: z.string().describe('When the check was made.'),
  anchored_through: z.int().describe('The last position that a signed checkpoint covers.'),
  unanchored: z.int().describe('The number of artifacts that no signed checkpoint covers yet.'),
  oldest_unanchored_at: z.string().optional().describe('Time of the oldest artifact that no checkpoint covers yet.'),
  pending: z.int().describe('The number of artifacts that have no position yet.'),
  checkpoint: z
    .object({
      size: z.int().describe('The number of artifacts that the checkpoint covers.'),
      root: z.string().describe('Merkle root, Base64.'),
      signed_at: z.string().describe('When it was signed.'),
      object: z.literal('verified').describe('Whether the copy in the bucket is equal.'),
      note: z.string().describe('The signed note (c2sp.org/tlog-checkpoint).'),
    })
    .optional()
    .describe('The newest signed checkpoint.'),
  tail: z
    .object({
      from: z.int().describe('The first position that was verified.'),
      to: z.int().describe('The last position that was verified.'),
      result: z
        .enum(['valid', 'broken', 'partial'])
        .describe('Whether the artifacts since the last full pass are intact.'),
    })
    .describe('The verification of the artifacts since the last full pass.'),
  /** `stale`: a newer one is overdue. */
  last_full: LastFull.extend({ stale: z.literal(true).optional().describe('Whether a newer pass is overdue.') })
    .optional()
    .describe('The last pass over the whole chain.'),
  /** The running full pass. */
  job_id: z.string().optional().describe('Id of the job that does the work.'),
  completeness: Completeness.describe('Whether every state has its evidence, and every artifact its state.'),
  /** Artifacts that the service did not record, which are therefore not part of the chain. */
  refused: Refused.optional().describe(
    'Artifacts that were written to the table without the service. They are not in the chain.',
  ),
  verifier_keys: z
    .array(z.string())
    .describe('Public keys that verify the checkpoints, oldest first (c2sp.org/signed-note).'),
})

export const Verification = z.object({
  chain_valid: z.boolean().describe('Whether every verified link is intact.'),
  total_artifacts: z.int().describe('The number of artifacts in the chain.'),
  first_artifact: z.string().nullable().describe('Id of the first artifact of the chain.'),
  latest_artifact: z.string().nullable().describe('Id of the last artifact of the chain.'),
  signature_status: z
    .enum(['all_verified', 'pending', 'stale', 'failed', 'none'])
    .describe('Whether everything that should be signed is signed.'),
  broken_links: z.int().describe('The number of positions whose link does not match the artifact before.'),
  verification: Details.describe('The scope and the results of the verification.'),
})
export type Verification = z.input<typeof Verification>
