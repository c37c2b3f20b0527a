import * as z from 'zod'
import type { Space } from '../../base/context.ts'
import { entity } from '../../base/table/entity.ts'
import { spaceMembers } from '../../base/table/members.ts'
import { usagePartition } from '../../ledger/usage/usage-item.ts'

/** What a space keeps in the bucket of files, as it was last listed. */
const FileSums = z.object({
  ...spaceMembers,
  /** None before the first count has ended. */
  bytes: z.int().default(0),
  counted_at: z.string().optional(),
  /** A count that is under way: index of the kind, and the name behind which it goes on. */
  at: z.object({ kind: z.int(), after: z.string().optional(), bytes: z.int(), began_at: z.string() }).optional(),
})
export type FileSums = z.output<typeof FileSums>

export const fileSums = entity({
  name: 'FILES',
  unbound: 'bounded',
  schema: FileSums,
  key: (of: Space) => ({ pk: usagePartition(of), sk: 'FILES' }),
})
