// A grant as an approval would have stored it, without the evidence that lets something run under it.
import type { Context } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import type { Grant } from '../../shared/govern/approvals/grants/grant.ts'

export function newGrantOf(ctx: Context, change: Partial<Grant> = {}): Grant {
  const now = ctx.now()
  return {
    ...ctx.space,
    id: ctx.id('grt'),
    approval_id: ctx.id('apr'),
    granted_by: [{ type: 'user', id: 'usr_1' }],
    requested_by: { type: 'api_key', id: 'key_1' },
    node_id: 'crm.contacts.editor',
    action_id: 'update_contact',
    manifest_sha256: 'a'.repeat(64),
    policy_set_version: 'sha256:1',
    policy_ids: [],
    ceiling: { risk: 40, recipients: 0, bulk_count: 0, external_domains: [], url_hosts: [], pii: [], flags: [] },
    pinned: '0'.repeat(32),
    free: [],
    at_most: {},
    max_uses: 2,
    uses: 0,
    created_at: iso(now),
    expires_at: iso(now + 3_600_000),
    salt: '00'.repeat(16),
    artifact_id: ctx.id('art'),
    ...change,
  }
}
