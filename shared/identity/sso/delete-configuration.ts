import { changed } from '../../ledger/audit/changed.ts'
import type { Context } from '../../base/context.ts'
import { mustBeCurrent } from '../../base/wire/etag.ts'
import { conflict } from '../../base/lib/failure.ts'
import { mailToOwners } from '../access/mail-to-owners.ts'
import { configurationOf, ssoConfigurations } from './configuration.ts'
import { mustDecideOnSso } from './owners-only.ts'

/** People sign in with a password again. Those without one set it by mail. Their sessions continue. */
export async function deleteSso(ctx: Context, version: number | undefined): Promise<void> {
  const { table, space } = ctx
  const { tenant_id } = space
  mustDecideOnSso(ctx)
  const { protocol, _v } = await configurationOf(table, tenant_id)
  mustBeCurrent(version, _v)
  const unchanged = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': _v } }
  const raced = conflict('Another request has changed single sign-on. Read it again and repeat your change.')
  const change = {
    action: 'sso.deleted',
    artifact: 'identity.sso.deleted' as const,
    subject: { type: 'sso', id: tenant_id },
    data: { protocol },
  }
  const recorded = changed(ctx, [change], { mails: [mailToOwners(ctx, 'single sign-on')] })
  await table.commit([ssoConfigurations.remove({ tenant_id }, unchanged, raced), ...recorded])
}
