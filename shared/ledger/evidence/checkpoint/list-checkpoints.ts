import * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import { type ListQuery, paginate } from '../../../base/wire/pagination.ts'
import { CHECKPOINT_PREFIX, chainKey, checkpoints } from '../chain/chain.ts'
import { readable } from '../artifact/readable.ts'
import { readSigners, verifierKeys } from './signers.ts'

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
