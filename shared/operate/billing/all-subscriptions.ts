import type { Context } from '../../base/context.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Readable } from '../../base/table/table.ts'
import { readable } from '../../ledger/evidence/artifact/readable.ts'
import { billingPartition } from './customer.ts'
import { type Subscription, subscriptions } from './subscription.ts'

/** A row that breaks its schema, or stands where another belongs, is none: no reading of the provider could replace it. */
const inPlace: Readable<Stored<Subscription> | undefined, Parameters<typeof subscriptions.key>[0]> = {
  key: subscriptions.key,
  decode: (attributes) => {
    const found = readable(subscriptions).decode(attributes)
    const its = found && subscriptions.key(found)
    return its?.pk === attributes['pk']?.S && its?.sk === attributes['sk']?.S ? found : undefined
  },
}

export async function allSubscriptions({ table, space }: Context): Promise<Stored<Subscription>[]> {
  const found = await table.query(inPlace, { pk: billingPartition(space.tenant_id), prefix: 'SUB#' })
  const all = found.filter((one) => one !== undefined)
  if (all.length < found.length) alarm('subscription_unreadable', undefined, { tenant: space.tenant_id })
  return all
}
