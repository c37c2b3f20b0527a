import { endpoint } from '../../shared/edge/endpoint.ts'
import { findDelegation } from '../../shared/govern/delegations/delegation.ts'
import { DelegationView, delegationView } from '../../shared/govern/delegations/view.ts'
import { approvals } from './routes.ts'

export const shapes = { response: DelegationView }

export const handler = endpoint(approvals.getDelegation, shapes, async ({ params, ctx }) =>
  delegationView(ctx, await findDelegation(ctx, params.id)),
)
