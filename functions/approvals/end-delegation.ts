import { endpoint } from '../../shared/edge/endpoint.ts'
import { httpResponse, unchanged } from '../../shared/base/wire/call.ts'
import { endDelegation } from '../../shared/govern/delegations/end.ts'
import { DelegationView, delegationView } from '../../shared/govern/delegations/view.ts'
import { approvals } from './routes.ts'

export const shapes = { response: DelegationView }

/** Ends a delegation. */
export const handler = endpoint(approvals.endDelegation, shapes, async ({ params, ctx }) => {
  const { delegation, repeated } = await endDelegation(ctx, params.id)
  const view = await delegationView(ctx, delegation)
  return repeated ? unchanged(view) : httpResponse(200, view)
})
