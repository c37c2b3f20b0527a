// Who looks at a page of the application host: the person whose session the cookie names, with the checks that every request of a
// session passes.
import { type Context, createContext, type Mode } from '../../base/context.ts'
import { forbidden, notFound } from '../../base/lib/failure.ts'
import { MODES } from '../../base/table/members.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { type Approval, approvals } from '../../govern/approvals/approval.ts'
import { mustBeAllowed } from '../../identity/access/allowlist.ts'
import type { PageCookie } from '../../identity/pages/cookie.ts'
import { liveSession, noteUse, sessionPrincipal } from '../../identity/sessions/live-session.ts'

/** The context of the person in the mode of the approval; undefined when nobody of this tenant is signed in. Throws 403, 404. */
export async function visitorOf(
  ctx: Context,
  { session }: PageCookie,
  { tenant, id }: { tenant: Tenant; id: string },
): Promise<Context | undefined> {
  if (session?.tenant_id !== tenant.id) return undefined
  const found = await liveSession(ctx.table, session)
  if (!found) return undefined
  const principal = sessionPrincipal(found)
  const inMode = (mode: Mode) =>
    createContext({ space: { tenant_id: tenant.id, mode }, principal, table: ctx.table, request: ctx.request })
  mustBeAllowed(tenant, ctx.request.ip)
  if (principal.enrol_only) throw forbidden('Your session has no second factor. Enrol one first.')
  if (!principal.permissions.has('approvals:read'))
    throw forbidden('You need the permission approvals:read. Ask an administrator of your tenant.')
  await noteUse(inMode('live'), found.session)
  const { mode } = await approvalOf(ctx, tenant.id, id)
  return inMode(mode)
}

/** The address says nothing about the mode, so both are looked at, in one read. */
async function approvalOf({ table }: Context, tenant_id: string, id: string): Promise<Approval> {
  const [approval] = await table.getAll(
    approvals,
    MODES.map((mode) => ({ tenant_id, mode, id })),
  )
  if (!approval) throw notFound('approval')
  return approval
}
