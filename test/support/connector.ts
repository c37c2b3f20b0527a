import type { Context } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import type { SyncJob } from '../../shared/deliver/integrations/sync/job.ts'
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

/** A run as it is stored. */
export const newSync = (ctx: Context, parts: Partial<SyncJob> = {}): SyncJob => ({
  ...ctx.space,
  id: ctx.id('syn'),
  connector_id: 'notes',
  connection_id: ctx.id('con'),
  sync_mode: 'incremental',
  models: [],
  status: 'queued',
  added: 0,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  pages: 0,
  at_model: 0,
  waits: 0,
  stalls: 0,
  queued_at: iso(ctx.now()),
  queued_by: { type: 'system', id: 'system' },
  ...parts,
})
