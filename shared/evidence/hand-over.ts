// The change from one signing key to the next. The chain says so in an artifact, and the first checkpoint under the new key
// is signed by the old one too, so that whoever trusts the old key has reason to trust the new one.
import type { Context } from '../context.ts'
import { sha256Hex } from '../lib/hash.ts'
import { warn } from '../lib/log.ts'
import { ConditionFailed } from '../table/table.ts'
import { newArtifacts } from './artifact.ts'
import { successorKey, successors } from './chain.ts'
import { chainName } from './hashes.ts'
import { type NoteKey, noteKey, openNote } from './note.ts'
import { readable } from './readable.ts'
import { recorded } from './record.ts'
import { isAmong, type Signers } from './signers.ts'
import { readKey, sign, signingKey } from './signing-key.ts'

/**
 * Records that the chain's checkpoints beyond `size` are signed by the deployment's present key. False when the chain knows
 * that key: also when a newer one followed upon it, since a container that has not heard of that must not turn it back.
 */
export async function handOver(ctx: Context, { known, current }: Signers, size: number): Promise<boolean> {
  const last = known.at(-1)
  const keys = known.map(({ key }) => key)
  if (!last || isAmong(keys, current)) return false
  const { spki, spkiSha256 } = await signingKey()
  const [artifact] = newArtifacts(ctx, {
    type: 'evidence.key.rotated',
    subject: { type: 'chain', id: chainName(ctx.space) },
    data: { old_key_spki_sha256: sha256Hex(last.spki), new_key_spki_sha256: spkiSha256 },
  })
  const place = successorKey(ctx.space, last.fromSize)
  try {
    await ctx.table.commit([successors.insert({ ...place, from_size: size, spki }), ...recorded(ctx, [{ artifact }])])
  } catch (error) {
    const isSaid = error instanceof ConditionFailed && (await ctx.table.get(readable(successors), place))
    if (!isSaid) throw error // unless another run has said so
  }
  return true
}

type Signature = { key: NoteKey; signature: Uint8Array }

/** Signatures over a checkpoint by the present key, and by the one before it on the first checkpoint of the present one. */
export async function signatures(signers: Signers, text: string, before: string | undefined): Promise<Signature[]> {
  const { current, known } = signers
  const own = { key: current, signature: await sign(text, await signingKey()) }
  const first = known.length > 1 && (before === undefined || openNote(before, [current]) === undefined)
  const former = first ? await formerSignature(signers, text) : undefined
  return former ? [former, own] : [own]
}

/** Undefined where there is no former key, and where it was lost: then the new one has to be trusted by itself. */
async function formerSignature({ name, keys, current }: Signers, text: string): Promise<Signature | undefined> {
  const id = process.env.FORMER_SIGN_KEY_ID
  if (!id) return undefined
  try {
    const former = await readKey(id)
    const key = noteKey(name, former.spki)
    if (!isAmong(keys, key) || key.id.equals(current.id)) return undefined
    return { key, signature: await sign(text, former) }
  } catch (error) {
    warn('evidence.former_key_silent', error, { checkpoint: name })
    return undefined
  }
}
