// Layer 3: may this principal do this in this tenant? Another tenant's resource is answered like a missing one.
import { mustBeInPerson, mustBeSignedIn, mustHaveVerifiedEmail, proofRequired } from '../identity/access/assurance.ts'
import { mustBeAllowed } from '../identity/access/allowlist.ts'
import { PERMISSIONS, TENANT_LEVEL } from '../base/catalog/permissions.ts'
import { forbidden, notFound } from '../base/lib/failure.ts'
import type { Layer } from '../base/wire/call.ts'
import type { Route } from '../base/wire/route.ts'

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
