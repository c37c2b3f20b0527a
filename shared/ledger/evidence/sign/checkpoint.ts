// Signs a checkpoint of a chain. Everything since the last checkpoint is recomputed first, and a chain that differs from the
// recomputed one is not signed.
//
// Order of the writes: the signed object goes to the bucket, where nobody can replace it, and its copy to the table after
// that. A run that dies in between leaves a checkpoint that the next run finds in the bucket and copies. The other order would
// leave a copy in the table that no object proves. Two runs at once sign the same root, and the second adopts the object of
// the first; an object with another root of the same size is a broken chain.
//
// A change of the signing key comes before the next signature: an artifact records it, both keys sign a succession note, and
// both sign the first checkpoint under the new key, for verifiers that do not support successions.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { sameBytes, sha256Hex } from '../../../base/lib/json.ts'
import type { Stored } from '../../../base/table/entity.ts'
import { retryWhenChanged, unlessChangedMeanwhile } from '../../../base/kernel/retry.ts'
import {
  checkpointKey,
  checkpoints,
  type Finding,
  type Head,
  headKey,
  heads,
  successorKey,
  successors,
} from '../chain/chain.ts'
import { waitBeforeCheckpoint } from '../chain/advance-chain.ts'
import { type Anchor, findAnchor, objectKey, putAnchor, readAnchor } from '../checkpoint/checkpoint-store.ts'
import { chainName, type Genesis } from '../artifact/hashes.ts'
import { rootOf } from '../chain/merkle.ts'
import { checkpointText, type NoteKey, openNote, signedNote, type Signer, successionText } from '../checkpoint/note.ts'
import { genesisStart, newestCheckpoints, readGenesis } from '../chain/read-chain.ts'
import { type Walked, walkToHead } from '../verify/walk-to-head.ts'
import { sequence } from '../chain/sequence.ts'
import { isAmong, type Signers, signersOf } from '../checkpoint/signers.ts'
import { formerKeys, sign, signingKey } from '../checkpoint/signing-key.ts'
import { alarm, warn } from '../../../base/lib/log.ts'
import { reportViolation } from '../../violations/violation.ts'
import { commitWith } from '../artifact/record.ts'
import { brokenChain } from '../chain/refused.ts'
import { storeBreak } from '../verify/results.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import { newArtifact, readable } from '../artifact/artifact.ts'

/** `more`: signed, and there is more to sign. */
export type CheckpointOutcome = 'idle' | 'signed' | 'more' | 'refused'

/**
 * Signs the chain of this space if a checkpoint is due or `wanted`, or if the signing key has changed. `refused`: the stored chain
 * is broken; then nothing is signed, the break is in the bucket, and the tenant gets the violation. It trusts no head and no
 * checkpoint of the table. It may run again after a crash, and twice at once.
 */
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
  await unlessChangedMeanwhile(
    ctx.table.commit([checkpoints.insert({ ...checkpointKey(ctx.space, size), ...item, key_arn })]),
  )
}

/** Stores the break of a chain that should be signed, and notifies the tenant of findings that were not reported before. */
async function reportBrokenChain(ctx: Context, detail: string, findings: readonly Finding[]): Promise<'refused'> {
  const chain = chainName(ctx.space)
  alarm('evidence.checkpoint_refused', new Error(detail), { chain, findings: findings.length })
  await storeBreak(ctx, detail, findings)
  await retryWhenChanged(async () => {
    const violation = await reportViolation(ctx, brokenChain(findings))
    if (!violation) return
    await ctx.table.commit([...violation.writes, ...commitWith(ctx, violation.transitions, violation)])
  })
  return 'refused'
}

/**
 * Records that checkpoints of more than `size` artifacts are signed by the deployment's current key, in a note that the
 * former key signs as well. False when the chain already uses the current key.
 */
export async function handOver(ctx: Context, signers: Signers, size: number): Promise<boolean> {
  const { known, keys, current } = signers
  const last = known.at(-1)
  if (!last || isAmong(keys, current)) return false
  const { spki, spkiSha256 } = await signingKey()
  const succession = await signedSuccession(signers, last, size)
  const artifact = newArtifact(ctx, {
    type: 'evidence.key.rotated',
    subject: { type: 'chain', id: chainName(ctx.space) },
    data: { old_key_spki_sha256: sha256Hex(last.spki), new_key_spki_sha256: spkiSha256, from_size: size },
  })
  const place = successorKey(ctx.space, last.fromSize)
  const item = { ...place, from_size: size, spki, succession }
  try {
    await ctx.table.commit([successors.insert(item), ...commitWith(ctx, [{ artifact }])])
  } catch (error) {
    const isRecorded = error instanceof ConditionFailed && (await ctx.table.get(readable(successors), place))
    if (!isRecorded) throw error // unless another run has recorded the change
  }
  return true
}

/** Throws when the former key can no longer sign, because then nothing proves the new key. */
async function signedSuccession({ name, current }: Signers, former: Signer, fromSize: number): Promise<string> {
  const present = await signingKey()
  const text = successionText({ name, fromSize, former: former.spki, next: present.spki })
  const byFormer = await formerSignature(former, text)
  if (!byFormer) throw new Error(`the former signing key of ${name} does not sign its succession`)
  return signedNote(text, [byFormer, { key: current, signature: await sign(text, present) }])
}

type Signature = { key: NoteKey; signature: Uint8Array }

/** Signatures of a checkpoint: by the current key and, on its first checkpoint, by the former key, too. */
async function signatures(signers: Signers, text: string, before: string | undefined): Promise<Signature[]> {
  const { current, known } = signers
  const byCurrent = { key: current, signature: await sign(text, await signingKey()) }
  const former = known.at(-2)
  const first = former && (before === undefined || openNote(before, [current]) === undefined)
  const byFormer = first ? await formerSignature(former, text) : undefined
  return byFormer ? [byFormer, byCurrent] : [byCurrent]
}

/** Undefined when that key is gone. */
async function formerSignature({ key, spki }: Signer, text: string): Promise<Signature | undefined> {
  try {
    const ours = (await formerKeys()).find((one) => sameBytes(one.spki, spki))
    return ours && { key, signature: await sign(text, ours) }
  } catch (error) {
    warn('evidence.former_key_silent', error, { checkpoint: key.name })
    return undefined
  }
}
