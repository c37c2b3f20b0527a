// For whom the caller may vote, by the delegations in the table. A vote needs their evidence, too.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Approval } from './approval.ts'
import type { Standing } from './standing.ts'
import { groupIdsOf } from './voter.ts'

/** On one approval. Keys and OAuth clients stand in for nobody. */
export async function standingsFor(ctx: Context, approval: Approval, from?: string): Promise<Standing[]> {
  const { stages, stage, node_id } = approval
  return standingsBy(ctx, from, { named: stages[stage]?.groups ?? [], node_id })
}

/** For a list of approvals: with all groups of those in whose name the caller may vote. */
export async function standingsOnAny(ctx: Context): Promise<Standing[]> {
  const found = await standingsBy(ctx, undefined, { named: [] })
  return Promise.all(
    found.map(async (one) => {
      const groups = await groupIdsOf(ctx, one.voter.on_behalf_of ?? '')
      return { ...one, voter: { ...one.voter, groups } }
    }),
  )
}

async function standingsBy(
  ctx: Context,
  from: string | undefined,
  { named, node_id }: { named: readonly string[]; node_id?: string },
): Promise<Standing[]> {
  const { table, space, principal } = ctx
  if (principal.credential !== 'session') return []
  const [{ delegatedKey, delegations, delegationsOf }, { covers }, { inNameOf }] = await Promise.all([
    import('../delegations/delegation.ts'),
    import('../delegations/rules.ts'),
    import('./in-name-of.ts'),
  ])
  const range =
    from === undefined
      ? { pk: delegatedKey(space, principal.id), index: 'gsi3' as const, from: iso(ctx.now()) }
      : delegationsOf(space, from)
  const received = (await table.query(delegations, range)).filter(
    (one) => one.to_user_id === principal.id && (node_id === undefined || covers(one, node_id)),
  )
  const found = await Promise.all(received.map((one) => inNameOf(table, space, one, named)))
  return found.filter((one) => one !== undefined)
}
