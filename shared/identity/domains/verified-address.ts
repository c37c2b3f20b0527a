// Whose word about an address counts without a mail: that of a tenant that has verified its domain.
import type { Table } from '../../base/table/table.ts'
import { verifiedDomain } from './domain.ts'

/** False for a lapsed domain, too: it may belong to somebody else by now. */
export async function isOfVerifiedDomain(table: Table, tenant_id: string, email: string): Promise<boolean> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return (await verifiedDomain(table, tenant_id, domain)) === 'verified'
}
