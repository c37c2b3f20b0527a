// Checks that every state has its evidence and all evidence its state. Integrity proves that the chain was not changed;
// completeness proves that nothing is missing from it and that the table agrees with it.
import { statusPartition } from '../approvals/approval.ts'
import { APPROVAL_STATUSES } from '../approvals/states.ts'
import type { Context } from '../../base/context.ts'
import { LIST_SHARDS, listPartition } from '../executions/execution.ts'
import { monthsBack } from '../../base/lib/days.ts'
import { iso } from '../../base/lib/clock.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Key } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { SHARDS, shardKey } from '../../ledger/evidence/artifact/artifact.ts'
import { type Gaps, hasGaps, sumOf } from '../../ledger/evidence/verify/gaps.ts'
import { delegationsKey } from '../delegations/delegation.ts'
import { gapsOfDelegations } from './gaps-of-delegations.ts'
import { gapsOfPolicySet } from './gaps-of-policy-sets.ts'
import { gapsOfApprovals, gapsOfArtifacts, gapsOfExecutions } from './gaps-of.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import type { Part } from '../../ledger/evidence/verify/verify-queue.ts'
import type { Completeness } from '../../ledger/evidence/verify/verify-state.ts'

const PAGE = 500
/** The most items that one message checks, which takes some seconds. */
const ITEMS_MAX = 25_000

type Position = Extract<Part, { kind: 'completeness' }>

/** Checks all lists from a position on. Returns the result, or the position where the next message continues. */
export async function checkCompleteness(
  ctx: Context,
  start: Position,
): Promise<{ next: Position } | { broken: []; completeness: Completeness }> {
  const lists = await listsOf(ctx)
  let { list, after, gaps } = start
  for (let seen = 0; list < lists.length;) {
    if (seen >= ITEMS_MAX) return { next: { kind: 'completeness', list, after, gaps } }
    const page = await lists[list]?.(after)
    if (page) gaps = sumOf([gaps, page.gaps])
    seen += page?.count ?? 0
    after = page?.after
    if (after === undefined) list += 1
  }
  return { broken: [], completeness: judged(ctx, gaps) }
}

function judged(ctx: Context, gaps: Gaps): Completeness {
  const { missing, contradicted, unnamed } = gaps
  const chain = chainName(ctx.space)
  if (hasGaps(gaps)) {
    alarm('evidence.incomplete', new Error('states and evidence disagree'), { chain, missing, contradicted, unnamed })
  }
  return { result: hasGaps(gaps) ? 'gaps' : 'complete', checked_at: iso(ctx.now()), ...gaps }
}

/** Checks one page of a partition; the next page begins `after`. */
type List = (after: string | undefined) => Promise<{ count: number; gaps: Gaps; after: string | undefined }>

async function listsOf(ctx: Context): Promise<List[]> {
  const { created_at } = await tenantOf(ctx.table, ctx.space.tenant_id)
  // Months come last, oldest first, so that a new month does not change the positions of the other lists.
  const months = monthsBack(ctx.now(), Date.parse(created_at)).toReversed()
  const shards = (count: number) => Array.from({ length: count }, (_, shard) => shard)
  return [
    ...APPROVAL_STATUSES.map((status) =>
      pages(ctx, { pk: statusPartition(ctx.space, status), index: 'gsi1' }, gapsOfApprovals),
    ),
    ...shards(SHARDS).map((shard) => pages(ctx, { pk: shardKey(ctx.space, shard) }, gapsOfArtifacts)),
    pages(ctx, { pk: delegationsKey(ctx.space), index: 'gsi1' }, gapsOfDelegations),
    async () => ({ count: 1, gaps: await gapsOfPolicySet(ctx), after: undefined }),
    ...months.flatMap((month) =>
      shards(LIST_SHARDS).map((shard) =>
        pages(ctx, { pk: listPartition(ctx.space, month, shard), index: 'gsi1' }, gapsOfExecutions),
      ),
    ),
  ]
}

type Partition = { pk: string; index?: 'gsi1' }

const pages =
  (ctx: Context, partition: Partition, gapsAmong: (ctx: Context, keys: readonly Key[]) => Promise<Gaps>): List =>
  async (from) => {
    const keys = await ctx.table.keys({ ...partition, after: from, limit: PAGE })
    const after = keys.length < PAGE ? undefined : keys.at(-1)?.sort
    return { count: keys.length, gaps: await gapsAmong(ctx, keys), after }
  }
