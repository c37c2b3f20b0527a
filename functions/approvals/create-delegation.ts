import { CreateDelegationBody, createDelegation } from '../../shared/govern/delegations/create.ts'
import { DelegationView, delegationView } from '../../shared/govern/delegations/view.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { approvals } from './routes.ts'

export const shapes = { body: CreateDelegationBody, response: DelegationView }

/** Lets another person vote in the name of the caller for a while. */
export const handler = endpoint(approvals.createDelegation, shapes, async ({ body, ctx }) =>
  delegationView(ctx, await createDelegation(ctx, body)),
)
