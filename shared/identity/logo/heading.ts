// The organisation at the head of a page on which its people sign in, join or agree.
import { type Html, html } from '../../base/wire/page.ts'
import type { Table } from '../../base/table/table.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { logoOf } from './logo.ts'

/** The name of the organisation, with its logo if it has one. */
export async function headingOf(table: Table, tenant: Pick<Tenant, 'id' | 'name' | 'logo'>): Promise<Html> {
  const logo = await logoOf(table, tenant)
  const image = logo !== undefined && html`<img src="${logo}" alt="Logo of ${tenant.name}" />`
  return html`<p class="host">${image}<strong>${tenant.name}</strong></p>`
}
