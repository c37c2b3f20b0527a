// Signs a checkpoint of a chain. Everything since the last checkpoint is recomputed first, and a chain that differs from the
// recomputed one is not signed.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { sameBytes } from '../../../base/lib/json.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { unlessOvertaken } from '../../../base/kernel/retry.ts'
import { checkpointKey, checkpoints, type Head, headKey, heads } from '../chain/chain.ts'
import { waitBeforeCheckpoint } from '../chain/advance-chain.ts'
import { type Anchor, findAnchor, objectKey, putAnchor, readAnchor } from '../checkpoint/checkpoint-store.ts'
import { handOver, signatures } from '../checkpoint/hand-over.ts'
import type { Genesis } from '../artifact/hashes.ts'
import { rootOf } from '../chain/merkle.ts'
import { checkpointText, openNote, signedNote } from '../checkpoint/note.ts'
import { genesisStart, newestCheckpoints, readGenesis } from '../chain/read-chain.ts'
import { type Walked, walkToHead } from '../verify/walk-to-head.ts'
import { reportBrokenChain } from './report-broken-chain.ts'
import { sequence } from '../chain/sequence.ts'
import { isAmong, type Signers, signersOf } from '../checkpoint/signers.ts'
import { signingKey } from '../checkpoint/signing-key.ts'

/** `more`: signed, and there is more to sign. */
export type CheckpointOutcome = 'idle' | 'signed' | 'more' | 'refused'

/** Signs the chain of this space if a checkpoint is due or `wanted`, or if the signing key has changed. */
export async function checkpoint(ctx: Context, wanted = false): Promise<CheckpointOutcome> {
  const [seen, [known]] = await Promise.all([ctx.table.get(heads, headKey(ctx.space)), newestCheckpoints(ctx, 1)])
  if (!seen) return 'idle'
  const due = waitBeforeCheckpoint(ctx.now(), seen.size, known)
  const isDue = due === 0 || (wanted && due !== undefined)
  if (!isDue && (known === undefined || known.key_arn === (await signingKey()).arn)) return 'idle'
  const genesis = await readGenesis(ctx)
  const signers = await signersOf(ctx, genesis)
  // A container with a stale configuration must not rotate back to the older key.
  if (isAmong(signers.keys.slice(0, -1), signers.current)) return 'idle'
  const { newest, anchor } = await findAnchor(ctx.space, signers, known?.size)
  if (newest !== undefined && !anchor)
    return reportBrokenChain(ctx, `checkpoint ${newest} is missing or not signed by us`, [])
  if (await handOver(ctx, signers, seen.size)) {
    await sequence(ctx) // the first checkpoint under the new key covers the artifact that names it
    return 'more'
  }
  // Read after the checkpoint, which another run may have signed just now.
  const head = await ctx.table.get(heads, headKey(ctx.space))
  if (!head || head.size < (anchor?.size ?? 0))
    return reportBrokenChain(ctx, `the head is behind checkpoint ${newest}`, [])
  if (anchor && anchor.size > (known?.size ?? 0)) await remember(ctx, anchor) // a crash prevented the write to the table
  return signOn(ctx, { head, genesis, signers, anchor })
}

type From = { head: Stored<Head>; genesis: Genesis; signers: Signers; anchor: Anchor | undefined }

async function signOn(ctx: Context, { head, genesis, signers, anchor }: From): Promise<CheckpointOutcome> {
  const walked = await walkToHead(ctx, anchor ?? genesisStart(genesis), head)
  const { walk, complete } = walked
  if (walk.findings.length > 0)
    return reportBrokenChain(ctx, 'the stored chain is not what was recorded', walk.findings)
  if (walk.size === (anchor?.size ?? 0)) return 'idle'
  const next = await signed(ctx, signers, walked, anchor)
  const { stored, version } = await putAnchor(next)
  const adopted = stored ? { ...next, object_version: version } : await readAnchor(next.object_key, signers)
  if (!adopted || !sameBytes(adopted.root, next.root)) {
    return reportBrokenChain(ctx, `another checkpoint of size ${next.size} exists`, [])
  }
  await remember(ctx, adopted)
  return complete ? 'signed' : 'more'
}

async function signed(
  ctx: Context,
  signers: Signers,
  { walk, block }: Walked,
  before: Anchor | undefined,
): Promise<Anchor> {
  const { size, link, frontier } = walk
  if (!frontier) throw new Error('a walk without findings has a frontier')
  const root = rootOf(frontier)
  const text = checkpointText({ origin: signers.name, size, root })
  const note = signedNote(text, await signatures(signers, text, before?.note))
  const known = signers.known.map(({ key }) => key)
  if (openNote(note, known) === undefined) throw new Error(`KMS signed with a key that ${signers.name} does not know`)
  return {
    note,
    frontier: frontier.map((hash) => Buffer.from(hash)),
    link: Buffer.from(link),
    from: before?.size ?? 0,
    block,
    signed_at: iso(ctx.now()),
    size,
    root,
    object_key: objectKey(ctx.space, size),
  }
}

/** Writes the copy in the table, so that readers do not have to read the bucket. */
async function remember(ctx: Context, { size, block, note, root, object_key, object_version, signed_at }: Anchor) {
  const item = { size, block, note, root, object_key, object_version, at: signed_at }
  const { arn: key_arn } = await signingKey()
  // Unless another run has written it.
  await unlessOvertaken(ctx.table.commit([checkpoints.insert({ ...checkpointKey(ctx.space, size), ...item, key_arn })]))
}
