// Requests that wait already and would run under the grant of a vote. A grant reaches later requests only, so the answer to the vote
// lists them, and the voter decides each by a vote of its own. Loaded only for a vote with `allow_for_s`.
import type { Context } from '../../../base/context.ts'
import { inParallel } from '../../../base/lib/in-parallel.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Stored } from '../../../base/table/entity.ts'
import type { JsonObject } from '../../../base/wire/parse-body.ts'
import { classifyAction } from '../../executions/payload.ts'
import { type Execution, executions } from '../../executions/execution.ts'
import { openSealed } from '../../executions/sealed/open-execution.ts'
import { allowedRepeats, askingOf } from './allowed-repeats.ts'
import { type Approval, approvals, openPartition } from '../approval.ts'
import { pinKey, pinOf } from './pin.ts'
import { ceilingOf, isServed, type Repeat } from './grant.ts'
import type { VoteInputs } from '../inputs.ts'

/** How many of the newest are compared, and how many of them are opened at once. */
const LOOKED_AT = 20
const AT_ONCE = 4

export type Waiting = { approval: Stored<Approval>; payload: JsonObject }

/** The newest first. `payload`: of the action that is voted on. */
export async function alsoWaiting(ctx: Context, inputs: VoteInputs, payload: JsonObject | null): Promise<Waiting[]> {
  const { held, execution } = inputs
  if (!payload || !inputs.action || !allowedRepeats(inputs)) return []
  const approved = await repeatOf(ctx, inputs, { held, execution, payload })
  const alike = (await openLike(ctx, held)).filter((one) => one.expires_at > iso(ctx.now()))
  const ids = alike.map(({ request_id: id }) => ({ ...ctx.space, id }))
  const found = new Map((await ctx.table.getAll(executions, ids)).map((one) => [one.id, one]))
  const checked = await inParallel(AT_ONCE, alike, async (approval): Promise<Waiting[]> => {
    const request = found.get(approval.request_id)
    if (!request || !mayServe(request)) return []
    const { opened } = await openSealed(ctx, request)
    if (!opened.payload) return []
    const asked = await repeatOf(ctx, inputs, { held: approval, execution: request, payload: opened.payload })
    return approved && asked && isServed(approved, asked) ? [{ approval, payload: opened.payload }] : []
  })
  return checked.flat()
}

/** The other requests of this requester for the same action that wait. */
async function openLike(ctx: Context, { id, node_id, action_id, requested_by }: Approval): Promise<Stored<Approval>[]> {
  const pk = openPartition(ctx.space, requested_by.id)
  const found = await ctx.table.query(approvals, { pk, index: 'gsi3', descending: true, limit: 5 * LOOKED_AT })
  return found
    .filter(
      (one) => one.id !== id && one.status === 'pending' && one.node_id === node_id && one.action_id === action_id,
    )
    .slice(0, LOOKED_AT)
}

/** No grant applies to an undo, to a task, or to a caller who wants to be asked. */
const mayServe = ({ undo_of, task_id, asked, status }: Execution): boolean =>
  status === 'pending_approval' &&
  undo_of === undefined &&
  task_id === undefined &&
  !asked.require_approval &&
  asked.tier !== 'HARD'

type Request = { held: Approval; execution: Execution; payload: JsonObject }

async function repeatOf(ctx: Context, inputs: VoteInputs, request: Request): Promise<Repeat | undefined> {
  const { governance, action } = inputs
  const { held, execution, payload } = request
  const rule = allowedRepeats({ ...inputs, held, execution })
  if (!action || !rule) return undefined
  const { inspection } = await classifyAction(action, payload, governance)
  return {
    requested_by: execution.requested_by,
    client_id: execution.client_id,
    agent_id: execution.agent_bound && execution.agent_id,
    node_id: execution.node_id,
    action_id: execution.action_id,
    manifest_sha256: execution.manifest_sha256,
    policy_set_version: held.policy_set_version,
    policy_ids: askingOf({ governance, held, execution }).map(({ policy_id }) => policy_id),
    ceiling: ceilingOf(inspection, held.risk),
    ...pinOf(await pinKey(ctx.space), { payload, rule, action }),
  }
}
