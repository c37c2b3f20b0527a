// A delegation as the API shows it, and the list of them.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { Delegation, delegations, delegationsKey } from './delegation.ts'
import { pairOf } from './people.ts'
import { DELEGATION_STATUSES, statusAt } from './rules.ts'

export const DelegationView = Delegation.omit({
  tenant_id: true,
  mode: true,
  artifact_id: true,
  end_artifact_id: true,
}).extend({
  status: z
    .enum(DELEGATION_STATUSES)
    .describe('Whether it is in force. It has `ended` also while one of the two people may not decide on approvals.'),
  evidence_artifact_id: z.string().describe('Id of the artifact that proves it.'),
})
export type DelegationView = z.input<typeof DelegationView>

/** One whose people may no longer decide has ended, until they may again. */
export async function delegationView(ctx: Context, delegation: Delegation): Promise<DelegationView> {
  const { artifact_id, end_artifact_id: _, ...shown } = delegation
  const status = statusAt(delegation, iso(ctx.now()))
  const holds = status === 'ended' || (await pairOf(ctx.table, ctx.space, delegation)) !== undefined
  return { ...shown, status: holds ? status : 'ended', evidence_artifact_id: artifact_id }
}

export const DelegationFilters = z.object({
  role: z
    .enum(['given', 'received'])
    .optional()
    .describe('`given`: only those of the caller; `received`: only those to the caller.'),
})

const MEMBERS = { given: 'from_user_id', received: 'to_user_id' } as const

/** Newest first. */
export async function listDelegations(
  ctx: Context,
  operation: string,
  query: ListQuery & z.output<typeof DelegationFilters>,
) {
  const member = query.role && MEMBERS[query.role]
  const page = await paginate(ctx, operation, query, {
    of: delegations,
    index: 'gsi1',
    groups: [{ name: 'delegations', partitions: [delegationsKey(ctx.space)] }],
    filter: member && ((delegation: Delegation) => delegation[member] === ctx.principal.id),
  })
  return { ...page, items: await Promise.all(page.items.map((delegation) => delegationView(ctx, delegation))) }
}
