// An identity provider may sign in only people with addresses of domains that its tenant lists and has verified.
import { verifiedDomain } from '../domains/domain.ts'
import type { Table } from '../../base/table/table.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { Email } from '../accounts/email.ts'
import type { SsoConfiguration } from './configuration.ts'
import { notAdmitted } from './refusal.ts'

export const domainOf = (email: string): string => email.slice(email.lastIndexOf('@') + 1).toLowerCase()

/** `verified`: new people may get an account. `lapsed`: only people with an account. Throws 403 for all other domains. */
export async function mustSpeakFor(
  table: Table,
  { tenant_id, domains }: SsoConfiguration,
  email: string,
): Promise<'verified' | 'lapsed'> {
  const domain = domainOf(email)
  const isAddress = Email.safeParse(email).success
  const status = isAddress && domains.includes(domain) ? await verifiedDomain(table, tenant_id, domain) : undefined
  if (!status) throw notAdmitted('The e-mail address does not belong to a verified domain of this organisation.')
  return status
}

/** Throws 403 for a tenant that is not active. A lower plan refuses nobody: what is configured goes on. */
export async function mustBeOpen(table: Table, tenant_id: string): Promise<Tenant> {
  const tenant = await tenantOf(table, tenant_id)
  if (tenant.status !== 'active') throw notAdmitted(`Your tenant is ${tenant.status}. Ask an owner of it.`)
  return tenant
}
