// Who was refused what: an entry of the audit log for every request of a known caller that ends in a 403, or that named
// another tenant. One request writes one entry at most, and the tenant's rate limit bounds the requests.
import type { Context } from '../base/context.ts'
import { Failure } from '../base/lib/failure.ts'
import type { Call, Layer } from '../base/wire/call.ts'
import type { Route } from '../base/wire/route.ts'

/** Outside of everything that refuses, and inside of what waits for work beside the answer. */
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

/** Loaded when something is refused, which is seldom. */
async function note(ctx: Context, of: { action: string; subject: { type: string; id: string }; reason: string }) {
  const { auditAlone } = await import('../ledger/audit/alone.ts')
  await auditAlone(ctx, { ...of, outcome: 'denied' })
}

const snake = (text: string) => text.replaceAll(/[ -]/g, '_').toLowerCase()

/** `security.save_policy`: the operation, since nothing happened to any resource. */
const actionOf = ({ area, operation }: Route) => `${area}.${snake(operation)}`

/** What the path names last; the tenant when it names nothing. */
function subjectOf({ resource }: Route, { params }: Call, { space }: Context) {
  const [name, id] = Object.entries(params).findLast(([, value]) => value !== space.tenant_id) ?? []
  if (name === undefined || id === undefined) return { type: 'tenant', id: space.tenant_id }
  return { type: name === 'tenant_id' || !resource ? 'tenant' : snake(resource), id }
}
