import { openTable } from '../../base/context.ts'
import { tenants } from '../../base/tenant/tenant.ts'
import type { Probe } from './probe.ts'

/** A consistent read of an item that need not exist. */
export const database: Probe = async () => {
  await openTable().get(tenants, { id: 'health' })
}
