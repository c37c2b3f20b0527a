// The keys that sign the checkpoints of one chain, one after the other. The genesis commits to the first; each that follows
// is named by an artifact (`evidence.key.rotated`), which the first checkpoint under the new key covers.
import type { Context } from '../context.ts'
import { sha256Hex } from '../lib/hash.ts'
import { chainKey, SUCCESSOR_PREFIX, successors } from './chain.ts'
import { type NoteKey, noteKey, verifierKey } from './note.ts'
import { checkpointName, readGenesis, type StoredGenesis } from './read-chain.ts'
import { readable } from './readable.ts'
import { signingKey } from './signing-key.ts'

/** A public key and the size of the chain from which it counts. */
export type Signer = { key: NoteKey; spki: Uint8Array; fromSize: number }

export type Signers = {
  /** The name under which they sign. */
  name: string
  /** Oldest first. The deployment's present key is among them, though the chain may not have met it yet. */
  keys: readonly NoteKey[]
  /** Those that the chain knows, oldest first. */
  known: readonly Signer[]
  /** The present key of the deployment. */
  current: NoteKey
}

export async function signersOf(ctx: Context, genesis: StoredGenesis): Promise<Signers> {
  const name = checkpointName(genesis, ctx.space)
  const [{ spki }, items] = await Promise.all([signingKey(), wasRotated() ? successorsOf(ctx) : []])
  const current = noteKey(name, spki)
  const first = [wasRotated() && genesis.spki, spki].find((one) => one && sha256Hex(one) === genesis.key_spki_sha256)
  const known = [
    ...(first ? [signer(name, first, 0)] : []),
    ...items.flatMap((item) => (item ? [signer(name, item.spki, item.from_size)] : [])),
  ].filter((one) => one !== undefined)
  const keys = known.map(({ key }) => key)
  return { name, keys: isAmong(keys, current) ? keys : [...keys, current], known, current }
}

/** A deployment that never changed its key believes that key alone, whatever the table says of others. */
const wasRotated = () => Boolean(process.env.FORMER_SIGN_KEY_ID)

const successorsOf = ({ table, space }: Context) =>
  table.query(readable(successors), { pk: chainKey(space), prefix: SUCCESSOR_PREFIX })

/** Of the chain of this space. */
export const readSigners = async (ctx: Context): Promise<Signers> => signersOf(ctx, await readGenesis(ctx))

export const isAmong = (keys: readonly NoteKey[], { id }: NoteKey): boolean => keys.some((one) => one.id.equals(id))

/** As verifiers are told them. */
export const verifierKeys = ({ keys }: Signers): string[] => keys.map(verifierKey)

/** Undefined when the bytes are no key of ours: somebody wrote them behind our back. */
function signer(name: string, spki: Uint8Array, fromSize: number): Signer | undefined {
  try {
    return { key: noteKey(name, spki), spki, fromSize }
  } catch {
    return undefined
  }
}
