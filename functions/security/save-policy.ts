import '../effects.ts'
import * as z from 'zod'
import { PolicyBody } from '../../shared/govern/governance/policy.ts'
import { unchanged } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { tagged } from '../../shared/base/wire/etag.ts'
import { withGroupNames } from '../../shared/govern/policies/approvers.ts'
import { FromTemplate, fromTemplate } from '../../shared/govern/policies/from-template.ts'
import { DryRun, DryRunQuery, PolicyView, policyView } from '../../shared/govern/policies/view.ts'
import { savePolicy } from '../../shared/govern/policies/save.ts'
import { isWaiting, WaitingChange, waitingResponse } from '../../shared/govern/protocol/loosen.ts'
import { security } from './routes.ts'

export const shapes = {
  query: DryRunQuery,
  body: z.union([PolicyBody, FromTemplate]),
  response: z.union([PolicyView, DryRun, WaitingChange]),
  versioned: true,
}

/** Creates a policy or makes its next version; `?dry_run=true` only reports what it would decide. */
export const handler = endpoint(security.savePolicy, shapes, async ({ query, body: sent, version, ctx }) => {
  const body = { ...('template' in sent ? fromTemplate(sent) : sent), version }
  if (query.dry_run === 'true') {
    const { dryRun } = await import('../../shared/govern/policies/dry-run.ts')
    return unchanged(await dryRun(ctx, body, query.replay ?? 0))
  }
  const made = await savePolicy(ctx, body)
  if (isWaiting(made)) return waitingResponse(made)
  const { stored, warnings, change } = made
  const [view] = await withGroupNames(ctx, [{ ...policyView(stored), warnings }])
  if (change !== 'created') return tagged(view, stored.version)
  const { tenant_id, policy_id } = stored
  const Location = `/api/v1/security/tenants/${tenant_id}/policies/${policy_id}`
  return tagged(view, stored.version, 201, { Location })
})
