// The two people of a delegation. It holds only while both may decide on approvals.
import type { Context, Space } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { type Person, personNow } from '../../identity/access/permissions.ts'
import { newMail } from '../../ledger/events/mail.ts'
import type { Delegation } from './delegation.ts'

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

/** To both of them: whoever acts in the name of another must not be the only one to know. */
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
