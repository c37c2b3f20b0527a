// Layer 3: may this principal do this in this tenant? Another tenant's resource is answered like a missing one. A refusal leaves an entry
// in the audit log.
import { mustBeInPerson, mustBeSignedIn, mustHaveVerifiedEmail, proofRequired } from '../identity/access/assurance.ts'
import { mustBeAllowed } from '../identity/access/allowlist.ts'
import { PERMISSIONS, TENANT_LEVEL } from '../base/catalog/permissions.ts'
import { Failure, forbidden, notFound } from '../base/lib/failure.ts'
import type { Call, Layer } from '../base/wire/call.ts'
import type { Route } from '../base/wire/route.ts'
import type { Context } from '../base/context.ts'

export const authorize = (route: Route): Layer => ({
  before: async ({ event: { call } }) => {
    const { access } = route
    if (!call.ctx || !call.started || access === 'public' || access === 'provider') return
    const { space, principal } = call.ctx
    const tenant = await call.started.tenant
    if (tenant.status !== 'active') throw forbidden(`Your tenant is ${tenant.status}. Ask an owner of it.`)
    mustBeAllowed(tenant, call.ip)
    if (principal.enrol_only && !route.whileEnrolling)
      throw forbidden('Your session has no second factor. Enrol one first.')
    if ('tenant_id' in call.params && call.params.tenant_id !== space.tenant_id) throw notFound('tenant')
    const suffices = route.anyKey === true && principal.credential === 'api_key'
    if (!suffices && !principal.permissions.has(access)) {
      const { proof_due } = principal
      if (proof_due) throw proofRequired(proof_due, `You need the permission ${access}.`, access)
      const { scope } = PERMISSIONS[access]
      throw forbidden(`You need the permission ${access} (${scope ? `scope ${scope}` : 'people only'}).`, {
        lacks: access,
      })
    }
    if (space.mode === 'test' && !(route.sandbox ?? !TENANT_LEVEL.has(access))) {
      throw forbidden('This is not available in test mode. Use a live credential.')
    }
    if (route.signedIn) mustBeSignedIn(call.ctx)
    if (route.inPerson) mustBeInPerson(call.ctx, tenant)
    if (space.mode === 'live' && route.method !== 'GET' && !route.whileUnverified) mustHaveVerifiedEmail(principal)
  },
})

/**
 * Writes an audit log entry for every request of a known caller that ends in a 403 or names another tenant. A request writes at most one
 * entry, so the tenant's rate limit also bounds the entries. It is outside all layers that refuse, and inside the layer that waits for
 * background work.
 */
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
