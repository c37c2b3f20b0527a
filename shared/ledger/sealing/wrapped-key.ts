// A stored data key, wrapped by KMS under the service's key or the tenant's own, and the setting that says which. The table of
// data keys has no stream and no backups, so an erased key is gone.
import * as z from 'zod'
import { dynamodb } from '../../base/aws/clients.ts'
import { currentRuntime, type Space } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import { entity, key, spaceKey } from '../../base/table/entity.ts'
import { Table } from '../../base/table/table.ts'
import { Bytes } from '../evidence/artifact/artifact.ts'
import { dueAt } from '../../base/table/due.ts'

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

export const KMS_STATUSES = ['service_managed', 'customer_managed', 'unavailable'] as const
export const REWRAP_STATUSES = ['none', 'running', 'stalled', 'done'] as const

/** The KMS key that wraps a tenant's data keys, for both modes. Without an item it is the service's own key. */
export const KmsSettings = z.object({
  tenant_id: z.string(),
  /** null: the service's own key. */
  key_arn: z.string().nullable(),
  status: z.enum(KMS_STATUSES),
  last_checked_at: z.string().nullable(),
  /** When a request found that the key did not answer. */
  suspected_at: z.string().optional(),
  /** Progress of rewrapping after a change of the key. */
  rewrap: z.object({ status: z.enum(REWRAP_STATUSES), done: z.int(), total: z.int() }),
  /** When the sweeper checks it next. */
  next_at: z.string(),
})
export type KmsSettings = z.output<typeof KmsSettings>

export const kmsSettings = entity({
  name: 'KMS',
  unbound: 'open',
  schema: KmsSettings,
  key: ({ tenant_id }: { tenant_id: string }) => ({ pk: spaceKey({ tenant_id, mode: 'live' }, 'KMS'), sk: 'KMS' }),
  index: ({ tenant_id, next_at }) => dueAt(next_at, tenant_id),
})

/** The key that wraps new data keys of a tenant, read without a cache. */
export async function wrappingKeyOf(table: Table, tenant_id: string): Promise<string> {
  const settings = await table.get(kmsSettings, { tenant_id })
  return settings?.key_arn ?? env('SEAL_KEY_ID')
}
