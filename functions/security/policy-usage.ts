import * as z from 'zod'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { LIMIT_KEYS } from '../../shared/govern/governance/limit.ts'
import { Usage, usageOf } from '../../shared/govern/limits/usage.ts'
import { security } from './routes.ts'

const value = z.string().min(1).max(256).optional()

export const shapes = {
  /** Exactly the keys that the limit counts per. */
  query: z.object(
    Object.fromEntries(LIMIT_KEYS.map((key) => [key, value])) as Record<(typeof LIMIT_KEYS)[number], typeof value>,
  ),
  response: Usage,
}

export const handler = endpoint(security.policyUsage, shapes, ({ params, query, ctx }) =>
  usageOf(ctx, params.policy_id, query),
)
