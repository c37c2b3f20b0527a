// The keys that sign the checkpoints of one chain, one after the other. The genesis commits to the first; each that follows
// is named by an artifact (`evidence.key.rotated`) and counts because both it and the key before it signed the succession.
import type { Context } from '../../../base/context.ts'
import { sha256Hex } from '../../../base/lib/hash.ts'
import { chainKey, SUCCESSOR_PREFIX, successors } from '../chain/chain.ts'
import { type NoteKey, noteKey, verifierKey } from './note.ts'
import { checkpointName, readGenesis, type StoredGenesis } from '../verify/read-chain.ts'
import { readable } from '../artifact/readable.ts'
import { formerKeys, signingKey } from './signing-key.ts'
import { believed, sameKey, type Signer, signerOf } from './succession.ts'

export type Signers = {
  /** The name under which they sign. */
  name: string
  /** Those that the chain knows and that count, oldest first. */
  known: readonly Signer[]
  /** By which signatures are checked: those, or the present key of the deployment where the genesis leads to none. */
  keys: readonly NoteKey[]
  /** The present key of the deployment, which the chain may not have met yet. */
  current: NoteKey
}

export async function signersOf(ctx: Context, genesis: StoredGenesis): Promise<Signers> {
  const name = checkpointName(genesis, ctx.space)
  const [{ spki }, items] = await Promise.all([signingKey(), successorsOf(ctx)])
  const later = items.flatMap((item) => (item ? [signerOf(name, item.spki, item.from_size, item.succession)] : []))
  // What KMS has is believed, and what signatures bind to that. What the table lists is not.
  const soundUnder = (ours: readonly Uint8Array[]) => {
    const first = [...ours, ...(genesis.spki ? [genesis.spki] : [])].find(isFirstOf(genesis))
    const listed = [first && signerOf(name, first, 0), ...later].filter((one) => one !== undefined)
    return believed(
      listed,
      ours.map((one) => noteKey(name, one)),
    )
  }
  const present = soundUnder([spki])
  // A chain that has not met the present key yet.
  const known = present.length > 0 ? present : soundUnder((await formerKeys()).map((former) => former.spki))
  const current = noteKey(name, spki)
  return { name, known, keys: known.length > 0 ? known.map(({ key }) => key) : [current], current }
}

const isFirstOf =
  ({ key_spki_sha256 }: StoredGenesis) =>
  (spki: Uint8Array) =>
    sha256Hex(spki) === key_spki_sha256

const successorsOf = ({ table, space }: Context) =>
  table.query(readable(successors), { pk: chainKey(space), prefix: SUCCESSOR_PREFIX })

/** Of the chain of this space. */
export const readSigners = async (ctx: Context): Promise<Signers> => signersOf(ctx, await readGenesis(ctx))

export const isAmong = (keys: readonly NoteKey[], key: NoteKey): boolean => keys.some((one) => sameKey(one, key))

/** As verifiers are told them. */
export const verifierKeys = ({ keys }: Signers): string[] => keys.map(verifierKey)
