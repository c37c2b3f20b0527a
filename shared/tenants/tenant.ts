import * as z from 'zod'
import { entity, key } from '../table/entity.ts'

export const PLANS = ['free', 'team', 'business', 'enterprise'] as const
export type Plan = (typeof PLANS)[number]

export const Tenant = z.object({
  id: z.string(),
  name: z.string(),
  plan: z.enum(PLANS),
  status: z.enum(['active', 'suspended', 'closed']),
  /** Enterprise only: figures agreed with the customer. */
  rate_limits: z.object({ per_minute: z.int().positive(), per_second: z.int().positive() }).partial().optional(),
  created_at: z.string(),
})
export type Tenant = z.output<typeof Tenant>

/** One per tenant; both modes share it. */
export const tenants = entity({
  name: 'TENANT',
  schema: Tenant,
  key: ({ id }: { id: string }) => ({ pk: key('T', id, 'live'), sk: 'TENANT' }),
})
