import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { billingPartition } from './customer.ts'
import { type Subscription, subscriptions } from './subscription.ts'

export const allSubscriptions = ({ table, space }: Context): Promise<Stored<Subscription>[]> =>
  table.query(subscriptions, { pk: billingPartition(space.tenant_id), prefix: 'SUB#' })
