// The change from one signing key to the next. An artifact records it, both keys sign a succession note, and both sign the
// first checkpoint under the new key, for verifiers that do not support successions.
import type { Context } from '../../../base/context.ts'
import { sameBytes, sha256Hex } from '../../../base/lib/json.ts'
import { warn } from '../../../base/lib/log.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import { newArtifact, readable } from '../artifact/artifact.ts'
import { successorKey, successors } from '../chain/chain.ts'
import { chainName } from '../artifact/hashes.ts'
import { type NoteKey, openNote, signedNote, type Signer, successionText } from './note.ts'
import { recorded } from '../artifact/record.ts'
import { isAmong, type Signers } from './signers.ts'
import { formerKeys, sign, signingKey } from './signing-key.ts'

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
    await ctx.table.commit([successors.insert(item), ...recorded(ctx, [{ artifact }])])
  } catch (error) {
    const isSaid = error instanceof ConditionFailed && (await ctx.table.get(readable(successors), place))
    if (!isSaid) throw error // unless another run has said so
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
export async function signatures(signers: Signers, text: string, before: string | undefined): Promise<Signature[]> {
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
