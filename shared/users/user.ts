import * as z from 'zod'
import { entity, key } from '../table/entity.ts'

export const User = z.object({
  id: z.string(),
  tenant_id: z.string(),
  email: z.string(),
  name: z.string(),
  roles: z.array(z.string()),
  status: z.enum(['invited', 'active', 'suspended', 'deleted']),
  source: z.enum(['register', 'invite', 'sso', 'scim']),
  created_at: z.string(),
})
export type User = z.output<typeof User>

/** People belong to the tenant, not to one of its modes. */
export const users = entity({
  name: 'USER',
  schema: User,
  key: (of: { tenant_id: string; id: string }) => ({ pk: key('T', of.tenant_id, 'live', 'USER', of.id), sk: 'USER' }),
  index: (item) => ({
    gsi1pk: key('T', item.tenant_id, 'live', 'USERS'),
    gsi1sk: key(item.created_at, item.id),
  }),
})
