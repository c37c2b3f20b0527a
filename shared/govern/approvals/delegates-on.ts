// Who may vote on an approval because somebody who is away delegated to them.
import type { Context } from '../../base/context.ts'
import { firstId } from '../../base/lib/ids.ts'
import { delegations, delegationsKey } from '../delegations/delegation.ts'
import { covers, LATEST_END_MS } from '../delegations/rules.ts'
import type { Approval } from './approval.ts'
import { inNameOf } from './in-name-of.ts'
import { groupsOf } from './rules.ts'

/** Their ids. */
export async function delegatesOn(ctx: Context, approval: Approval): Promise<string[]> {
  const { table, space } = ctx
  const { node_id, stages, stage } = approval
  const from = firstId('dlg', ctx.now() - LATEST_END_MS)
  const recent = await table.query(delegations, { pk: delegationsKey(space), index: 'gsi1', from })
  const found = await Promise.all(
    recent.filter((one) => covers(one, node_id)).map((one) => inNameOf(table, space, one, stages[stage]?.groups ?? [])),
  )
  const asked = found.filter((one) => one && groupsOf(approval, one.voter, stage).length > 0)
  return [...new Set(asked.flatMap((one) => one?.voter.id ?? []))]
}
