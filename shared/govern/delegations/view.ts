// A delegation as the API shows it, and the list of them.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { Delegation, DELEGATION_STATUSES, delegations, delegationsKey, statusAt } from './delegation.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { type Person, personNow } from '../../identity/access/permissions.ts'
import { newMail } from '../../ledger/events/mail.ts'

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

/** A delegation is in force only while both of its people may decide on approvals. */
export const mayDecide = (person: Person | undefined): person is Person =>
  person?.user.status === 'active' && person.permissions.has('approvals:decide')

export type Pair = { giver: Person; delegate: Person }

/** Undefined when one of them may not decide on approvals now. */
export async function pairOf(table: Table, space: Space, delegation: Delegation): Promise<Pair | undefined> {
  const { tenant_id } = space
  const [giver, delegate] = await Promise.all([
    personNow(table, { tenant_id, id: delegation.from_user_id }),
    personNow(table, { tenant_id, id: delegation.to_user_id }),
  ])
  return mayDecide(giver) && mayDecide(delegate) ? { giver, delegate } : undefined
}

/** Mails to both people, so that a delegate is never the only one who knows of the delegation. */
export function mailsToBoth(
  ctx: Context,
  kind: 'delegation_created' | 'delegation_ended',
  delegation: Delegation | Stored<Delegation>,
  { giver, delegate }: Record<'giver' | 'delegate', Person | undefined>,
) {
  const facts = {
    by: ctx.principal.email ?? ctx.principal.id,
    giver: nameOf(giver, delegation.from_user_id),
    delegate: nameOf(delegate, delegation.to_user_id),
    mode: ctx.space.mode,
    from_at: delegation.from_at,
    until: delegation.until,
    scope: delegation.node_ids ? `the nodes ${delegation.node_ids.join(', ')}` : 'all nodes',
  }
  return [delegation.from_user_id, delegation.to_user_id].map((user_id) => newMail(ctx, kind, { user_id }, facts))
}

const nameOf = (person: Person | undefined, id: string): string => person?.user.email ?? id
