// Writes an audit log entry for every request of a known caller that ends in a 403 or names another tenant. A request writes
// at most one entry, so the tenant's rate limit also bounds the entries.
import type { Context } from '../base/context.ts'
import { Failure } from '../base/lib/failure.ts'
import type { Call, Layer } from '../base/wire/call.ts'
import type { Route } from '../base/wire/route.ts'

/** Stands outside all layers that refuse, and inside the layer that waits for background work. */
export const auditDenials = (route: Route): Layer => ({
  onError: ({ event: { call }, error, response }) => {
    const { ctx } = call
    if (response !== undefined || !ctx || ctx.principal.kind === 'system' || !(error instanceof Failure)) return
    const foreign = 'tenant_id' in call.params && call.params.tenant_id !== ctx.space.tenant_id
    if (error.kind !== 'forbidden' && !foreign) return
    call.beside.push(
      note(ctx, { action: actionOf(route), subject: subjectOf(route, call, ctx), reason: error.message }),
    )
  },
})

/** Loads the audit log only when a request is refused, which is rare. */
async function note(ctx: Context, of: { action: string; subject: { type: string; id: string }; reason: string }) {
  const { writeAuditEntry } = await import('../ledger/audit/write-audit-entry.ts')
  await writeAuditEntry(ctx, { ...of, outcome: 'denied' })
}

const snake = (text: string) => text.replaceAll(/[ -]/g, '_').toLowerCase()

/** `security.save_policy`: the operation, because no resource was changed. */
const actionOf = ({ area, operation }: Route) => `${area}.${snake(operation)}`

/** The resource that the path names last; the tenant when it names none. */
function subjectOf({ resource }: Route, { params }: Call, { space }: Context) {
  const [name, id] = Object.entries(params).findLast(([, value]) => value !== space.tenant_id) ?? []
  if (name === undefined || id === undefined) return { type: 'tenant', id: space.tenant_id }
  return { type: name === 'tenant_id' || !resource ? 'tenant' : snake(resource), id }
}
