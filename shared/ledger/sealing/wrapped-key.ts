// A data key as it is stored: wrapped by KMS, under the service's key or the tenant's own. In a table of its own, without
// stream and backups, so that what is erased is gone.
import * as z from 'zod'
import { dynamodb } from '../../base/aws/dynamodb.ts'
import { currentRuntime, type Space } from '../../base/context.ts'
import { env } from '../../base/lib/env.ts'
import { entity, key } from '../../base/table/entity.ts'
import { Table } from '../../base/table/table.ts'
import { Bytes } from '../evidence/artifact/artifact.ts'

export const WrappedKey = z.object({
  pk: z.string(),
  sk: z.string(),
  /** Absent once erased. */
  wrapped: Bytes.optional(),
  cmk_arn: z.string(),
  created_at: z.string(),
  erased_at: z.string().optional(),
})
export type WrappedKey = z.output<typeof WrappedKey>

export const wrappedKeysPartition = (space: Space): string => key(space.tenant_id, space.mode)

export const wrappedKeys = entity({
  name: 'DATAKEY',
  schema: WrappedKey,
  key: ({ space, name }: { space: Space; name: string }) => ({ pk: wrappedKeysPartition(space), sk: name }),
})

export function keysTable(): Table {
  const { clock, random } = currentRuntime()
  return new Table(dynamodb(), env('KEYS_TABLE_NAME'), clock, random)
}

/** What KMS binds a data key to: it opens for no other tenant and mode. */
export const encryptionContext = ({ tenant_id, mode }: Space) => ({ tenant_id, mode })
