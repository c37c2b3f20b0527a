// The KMS key that wraps a tenant's data keys, for both modes. Without an item it is the service's own key.
import * as z from 'zod'
import { env } from '../../base/lib/runtime.ts'
import { dueAt } from '../../base/table/due.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'

export const KMS_STATUSES = ['service_managed', 'customer_managed', 'unavailable'] as const
export const REWRAP_STATUSES = ['none', 'running', 'stalled', 'done'] as const

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
