// One part of a full pass: the artifacts between two signed checkpoints. It starts from frontier and link of the first
// locked object and must arrive at the root of the second, so all parts can be verified in parallel.
import type { Context } from '../../../base/context.ts'
import { type Checkpoint, checkpointKey, checkpoints, type Finding } from '../chain/chain.ts'
import { objectKey, readAnchor } from '../checkpoint/checkpoint-store.ts'
import { CheckpointVerifier } from './checkpoint-verifier.ts'
import { genesisStart, readGenesis } from '../chain/read-chain.ts'
import { readable } from '../artifact/readable.ts'
import { type Signers, signersOf } from '../checkpoint/signers.ts'
import type { PartResult } from './pass-seals.ts'
import { walkBetween } from './walk-to-head.ts'

/** Findings about the artifacts between the checkpoints of two sizes (0: the genesis) and about the checkpoints, and what was stated last. */
export async function verifySegment(ctx: Context, { from, to }: { from: number; to: number }): Promise<PartResult> {
  const genesis = await readGenesis(ctx)
  const signers = await signersOf(ctx, genesis)
  const [start, end, notes] = await Promise.all([
    from === 0 ? genesisStart(genesis) : readBorder(ctx, signers, from),
    readBorder(ctx, signers, to),
    readNotes(ctx, from, to),
  ])
  if (!start) return { broken: [unsigned(from)] }
  if (!end) return { broken: [unsigned(to)] }
  const verifier = new CheckpointVerifier(signers, from, [...notes, end])
  const walk = await walkBetween(ctx, start, end.block, verifier.check)
  if (walk.size < to) walk.skipTo(to, end.link)
  const retention = walk.newest.get('evidence.retention.changed')
  return {
    broken: [...walk.findings, ...verifier.invalid.map(unsigned)],
    ...(retention !== undefined && { retention }),
  }
}

/** The finding that the checkpoint of that size is not valid. */
const unsigned = (size: number): Finding => ({
  sequence: Math.max(0, size - 1),
  artifact_id: null,
  reason: 'signature',
})

const readBorder = (ctx: Context, signers: Signers, size: number) => readAnchor(objectKey(ctx.space, size), signers)

async function readNotes(ctx: Context, from: number, to: number): Promise<Checkpoint[]> {
  const [{ pk, sk: after }, { sk: last }] = [checkpointKey(ctx.space, from), checkpointKey(ctx.space, to)]
  return (await ctx.table.query(readable(checkpoints), { pk, after, to: last })).filter((item) => item !== undefined)
}
