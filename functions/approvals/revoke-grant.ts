import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { GrantView, revokeGrant } from '../../shared/govern/approvals/grants/list.ts'
import { approvals } from './routes.ts'

export const shapes = { body: z.strictObject({}), response: GrantView }

/** Ends a grant. */
export const handler = endpoint(approvals.revokeGrant, shapes, ({ params, ctx }) => revokeGrant(ctx, params.id))
