// Notes that the KMS key of a tenant did not answer. Loaded only then.
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { openTable } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { warn } from '../../base/lib/log.ts'
import { dueAt } from '../../base/table/due.ts'
import { kmsSettings } from './wrapped-key.ts'

/**
 * Notes that a tenant's key did not answer; the sweeper then checks the key and notifies the tenant once. Never throws,
 * because the request has its own answer.
 */
export async function suspectKey(tenant_id: string): Promise<void> {
  const table = openTable()
  const at = iso(table.clock.now())
  const condition = {
    expression: 'attribute_exists(pk) AND attribute_not_exists(#suspected_at) AND #status = :managed',
    names: { '#status': 'status' },
    values: { ':managed': 'customer_managed' },
  }
  const set = { suspected_at: at, next_at: at, ...dueAt(at, tenant_id) }
  try {
    await table.update(kmsSettings.key({ tenant_id }), { set, condition })
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) warn('key_not_suspected', error, { tenant: tenant_id })
  }
}
