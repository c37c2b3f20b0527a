// The keys that sign the checkpoints of one chain, in order, and the list of checkpoints that they open. The genesis commits to
// the first key. Each later key is named by an artifact (`evidence.key.rotated`) and trusted because it and the previous key
// signed the succession.
import type { Context } from '../../../base/context.ts'
import { sha256Hex } from '../../../base/lib/json.ts'
import {
  blockKey,
  blocks,
  chainKey,
  type Checkpoint,
  CHECKPOINT_PREFIX,
  checkpoints,
  SUCCESSOR_PREFIX,
  successors,
  unpackEntries,
} from '../chain/chain.ts'
import { believed, type NoteKey, noteKey, sameKey, type Signer, signerOf, verifierKey } from './note.ts'
import { checkpointName, readGenesis, type StoredGenesis } from '../chain/read-chain.ts'
import { readable } from '../artifact/artifact.ts'
import { formerKeys, signingKey } from './signing-key.ts'
import * as z from 'zod'
import { type ListQuery, paginate } from '../../../base/wire/pagination.ts'
import { timeOfId } from '../../../base/lib/ids.ts'

export type Signers = {
  /** The key name in signatures. */
  name: string
  /** The trusted keys of the chain, oldest first. */
  known: readonly Signer[]
  /** The keys that verify signatures: `known`, or the deployment's current key if the genesis leads to none. */
  keys: readonly NoteKey[]
  /** The deployment's current key, which may not have signed in this chain yet. */
  current: NoteKey
}

export async function signersOf(ctx: Context, genesis: StoredGenesis): Promise<Signers> {
  const name = checkpointName(genesis, ctx.space)
  const [{ spki }, items] = await Promise.all([signingKey(), successorsOf(ctx)])
  const later = items.flatMap((item) => (item ? [signerOf(name, item.spki, item.from_size, item.succession)] : []))
  // Keys in KMS are trusted, and keys bound to them by signatures. Keys that are only listed in the table are not.
  const soundUnder = (ours: readonly Uint8Array[]) => {
    const first = [...ours, ...(genesis.spki ? [genesis.spki] : [])].find(isFirstOf(genesis))
    const listed = [first && signerOf(name, first, 0), ...later].filter((one) => one !== undefined)
    return believed(
      listed,
      ours.map((one) => noteKey(name, one)),
    )
  }
  const present = soundUnder([spki])
  // The chain has no checkpoint under the current key yet.
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

/** The signers of this space's chain. */
export const readSigners = async (ctx: Context): Promise<Signers> => signersOf(ctx, await readGenesis(ctx))

export const isAmong = (keys: readonly NoteKey[], key: NoteKey): boolean => keys.some((one) => sameKey(one, key))

/** The verifier keys to publish. */
export const verifierKeys = ({ keys }: Signers): string[] => keys.map(verifierKey)

export const CheckpointView = z.object({
  size: z.int().describe('The number of artifacts that the checkpoint covers.'),
  root: z.string().describe('Merkle root, Base64.'),
  signed_at: z.string().describe('When it was signed.'),
  /** The signed note, verbatim. */
  note: z.string().describe('The signed note (c2sp.org/tlog-checkpoint).'),
})

/** Signed notes, newest first, with the keys that open them. */
export async function listCheckpoints(ctx: Context, query: ListQuery) {
  const [signers, page] = await Promise.all([
    readSigners(ctx),
    paginate(ctx, 'evidence-checkpoints', query, {
      of: readable(checkpoints),
      groups: [{ name: 'all', partitions: [chainKey(ctx.space)] }],
      from: CHECKPOINT_PREFIX,
      to: `${CHECKPOINT_PREFIX}~`,
    }),
  ])
  const items = page.items
    .filter((item) => item !== undefined)
    .map(({ size, root, at, note }) => ({ size, root: Buffer.from(root).toString('base64'), signed_at: at, note }))
  return { ...page, items, verifier_keys: verifierKeys(signers) }
}

/** When (ms) the first artifact after a checkpoint happened, as its id says; undefined when the chain has none. */
export async function oldestUnsigned(
  { table, space }: Context,
  newest: Pick<Checkpoint, 'block'> | undefined,
): Promise<number | undefined> {
  const block = await table.get(blocks, blockKey(space, (newest?.block ?? 0) + 1))
  const [first] = block ? unpackEntries(block.entries) : []
  return first && timeOfId(first.artifact_id)
}
