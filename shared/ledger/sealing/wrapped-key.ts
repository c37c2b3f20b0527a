// A stored data key, wrapped by KMS under the service's key or the tenant's own. Its table has no stream and no backups, so
// an erased key is gone.
import * as z from 'zod'
import { dynamodb } from '../../base/aws/dynamodb.ts'
import { currentRuntime, type Space } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { entity, key } from '../../base/table/entity.ts'
import { Table } from '../../base/table/table.ts'
import { Bytes } from '../evidence/artifact/artifact.ts'

export const WrappedKey = z.object({
  pk: z.string(),
  sk: z.string(),
  /** Absent when erased. */
  wrapped: Bytes.optional(),
  cmk_arn: z.string(),
  created_at: z.string(),
  erased_at: z.string().optional(),
})
export type WrappedKey = z.output<typeof WrappedKey>

export const wrappedKeysPartition = (space: Space): string => key(space.tenant_id, space.mode)

export const wrappedKeys = entity({
  name: 'DATAKEY',
  unbound: 'proven by itself',
  schema: WrappedKey,
  key: ({ space, name }: { space: Space; name: string }) => ({ pk: wrappedKeysPartition(space), sk: name }),
})

export function keysTable(): Table {
  const { clock, random } = currentRuntime()
  return new Table(dynamodb(), env('KEYS_TABLE_NAME'), clock, random)
}

/** The encryption context: KMS unwraps the key only for this tenant and mode. */
export const encryptionContext = ({ tenant_id, mode }: Space) => ({ tenant_id, mode })
