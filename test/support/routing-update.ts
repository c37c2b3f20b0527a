import type { Context } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import type { RoutingUpdate } from '../../shared/learn/routing/update.ts'

/** One that waits for approval, without the execution that it waits for. */
export const newRoutingUpdate = (ctx: Context, members: Partial<RoutingUpdate> = {}): RoutingUpdate => ({
  ...ctx.space,
  id: ctx.id('rtu'),
  type: 'tier_change',
  node_id: 'crm.contacts.editor',
  action_id: 'update_contact',
  endpoint_sha256: 'e'.repeat(64),
  from: 'HARD',
  to: 'SOFT',
  loosens: true,
  rationale: 'Nobody rejects them.',
  proposed_by: { type: 'system', id: 'system' },
  persons: [],
  source: 'learning',
  status: 'proposed',
  execution_id: ctx.id('exe'),
  created_at: iso(ctx.now()),
  updated_at: iso(ctx.now()),
  artifact_id: ctx.id('art'),
  ...members,
})
