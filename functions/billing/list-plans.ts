import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { listPlans, PlanView } from '../../shared/operate/billing/read-billing.ts'
import { billing } from './routes.ts'

export const shapes = { response: z.object({ items: z.array(PlanView).describe('The items of this page.') }) }

export const handler = endpoint(billing.listPlans, shapes, async ({ ctx }) => ({ items: await listPlans(ctx) }))
