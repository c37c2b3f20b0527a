// A change of policies or settings. A change that is at least as strict takes effect at once, by any credential that may make it. A change
// that loosens is made by a person who has just shown a second factor; requested by a key or an OAuth client, it waits until such a person
// approves exactly that change. Otherwise a credential could switch off the demand for a person, approve its own request, and switch it
// on again.
//
// The guard is here, in the commit of each such change, so that no route can forget it. Test mode is not guarded: its policies govern
// only the sandbox.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { type HttpResponse, httpResponse } from '../../base/wire/call.ts'
import { forbidden } from '../../base/lib/failure.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { mustBeInPerson } from '../../identity/access/assurance.ts'
import type { Execution } from '../executions/execution.ts'
import { type GovernanceChange, looseningMail, payloadOf } from '../governance/change.ts'
import { isFreeze } from '../governance/freeze.ts'
import { POLICIES_NODE_ID } from '../manifests/platform-nodes.ts'

export type Waiting = { waits: Execution }

export const isWaiting = (made: object): made is Waiting => 'waits' in made

/**
 * Afterwards the change is in force, or waits as a held action (`waits`). Throws 403 for a person without a fresh second factor, with a
 * code that says what to do, and if a policy forbids the request. Whether it loosens is computed from the change, never taken from the
 * caller. Of two changes at once one fails, because both move the same pointer.
 */
export async function makeChange<T extends object>(ctx: Context, change: GovernanceChange<T>): Promise<T | Waiting> {
  const loosens = change.loosens.length > 0 && ctx.space.mode === 'live'
  if (loosens && ctx.principal.credential !== 'session') return ask(ctx, change)
  if (loosens) mustBeInPerson(ctx, await tenantOf(ctx.table, ctx.space.tenant_id))
  await ctx.table.commit(change.writes({ mails: loosens ? [looseningMail(ctx, change)] : [] }), change.ref)
  return change.result
}

async function ask(ctx: Context, change: GovernanceChange<unknown>): Promise<Waiting> {
  const action = { node_id: POLICIES_NODE_ID, action_id: 'loosen', payload: payloadOf(change), asked: {} }
  const { requestOwn } = await import('./request-platform-action.ts') // loads all of an execution, which most changes do not need
  const { execution } = await requestOwn(ctx, action, () => [])
  const { rejection } = execution
  if (rejection) throw forbidden(rejection.detail, { code: isFreeze(rejection) ? 'frozen' : 'policy_rejected' })
  return { waits: execution }
}

/** The answer to a change that waits for a person. */
export const WaitingChange = z.object({
  status: z.literal('pending_approval').describe('The current state.'),
  execution_id: z.string().describe('Id of the execution.'),
  approval_id: z.string().describe('Id of the approval.'),
  detail: z.string().describe('More details.'),
})

export function waitingResponse({ waits: { id, held } }: Waiting): HttpResponse {
  const approval_id = held?.id ?? ''
  const detail = 'This loosens what governs. It takes effect once a person with policies:write has approved it.'
  const body = { status: 'pending_approval', execution_id: id, approval_id, detail }
  return httpResponse(202, body, { Location: `/api/v1/work/approvals/${approval_id}` })
}
