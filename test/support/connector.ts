import type { Context } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import type { Connector } from '../../shared/deliver/integrations/connector.ts'

/** A connector as it is stored, without its document. */
export const newConnector = (ctx: Context, id: string): Connector => ({
  ...ctx.space,
  id,
  name: 'Notes',
  category: 'other',
  base_url: 'https://api.example.com/v1',
  auth: { type: 'bearer' },
  openapi: { sha256: '0'.repeat(64), bytes: 2 },
  actions_count: 1,
  data_categories: [],
  scopes_required: [],
  inbound: [],
  created_at: iso(ctx.now()),
  created_by: { type: 'system', id: 'system' },
})
