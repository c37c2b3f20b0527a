import { changed } from '../../../ledger/audit/changed.ts'
import type { Context } from '../../../base/context.ts'
import { mustBeCurrent } from '../../../base/wire/etag.ts'
import { mailToOwners } from '../../access/outrank.ts'
import { mustActInPerson } from '../../access/assurance.ts'
import { configurationOf, configurationRaced, ssoConfigurations } from './configuration.ts'
import { settleLater, settleRoles } from '../settle-roles.ts'
import { mustBeOwner } from '../../access/roles.ts'

/**
 * Ends single sign-on, with a mail to the owners. People sign in with a password again. Those without one set it by mail. Their
 * sessions continue, without the roles that the provider's groups gave; the sweeper takes those away after a crash. Throws 403 unless an
 * owner does it in person, 409 for a version that is no longer current.
 */
export async function deleteSso(ctx: Context, version: number | undefined): Promise<void> {
  const { table, space } = ctx
  const { tenant_id } = space
  mustDecideOnSso(ctx)
  await mustActInPerson(ctx)
  const was = await configurationOf(table, tenant_id)
  const { protocol, _v } = was
  mustBeCurrent(version, _v)
  const unchanged = { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': _v } }
  const raced = configurationRaced()
  const change = {
    action: 'sso.deleted',
    artifact: 'identity.sso.deleted' as const,
    subject: { type: 'sso', id: tenant_id },
    data: { protocol },
  }
  const recorded = changed(ctx, [change], { mails: [mailToOwners(ctx, 'single sign-on')] })
  await table.commit([
    ssoConfigurations.remove({ tenant_id }, unchanged, raced),
    ...(await settleLater(ctx, was)),
    ...recorded,
  ])
  await settleRoles(ctx)
}

/** Throws 403 unless the caller is an owner: the identity provider can sign in as anybody of its domains, owners included. */
export const mustDecideOnSso = ({ principal }: Context): void =>
  mustBeOwner(principal, 'You cannot change single sign-on, because it can sign people in as owners. Ask an owner.')
