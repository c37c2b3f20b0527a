// Runs the parts of a full verification, one for each message. The part that ends last closes the pass with a verification, which reports
// the result. Integrity proves that the chain was not changed. Completeness, which is checked here, proves that every state has its
// evidence and all evidence its state.
import { type Context, systemContext } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { given } from '../../base/lib/json.ts'
import { startFullPass } from '../../ledger/evidence/verify/full-pass.ts'
import { verifySegment } from '../../ledger/evidence/verify/segment.ts'
import { givenUp, passOn, takeTurn, type Turn, withPart } from '../../ledger/evidence/verify/leases.ts'
import { donePart, findingsOf, isWhole, type PartResult } from '../../ledger/evidence/verify/pass-seals.ts'
import { sealed } from '../../ledger/evidence/verify/results.ts'
import type { Part, VerificationMessage } from '../../ledger/evidence/verify/verify-queue.ts'
import { verifyChain } from '../../ledger/evidence/verify/verify.ts'
import {
  changeState,
  type Completeness,
  type DonePart,
  type Job,
  type Trigger,
  type VerifyState,
} from '../../ledger/evidence/verify/verify-state.ts'
import { statusPartition } from '../approvals/approval.ts'
import { APPROVAL_STATUSES } from '../approvals/states.ts'
import { LIST_SHARDS, listPartition } from '../executions/execution.ts'
import { monthsBack } from '../../base/lib/days.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Key } from '../../base/table/entity.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { shardKey, SHARDS } from '../../ledger/evidence/artifact/artifact.ts'
import { type Gaps, hasGaps, sumOf } from '../../ledger/evidence/verify/gaps.ts'
import { delegationsKey } from '../delegations/delegation.ts'
import { gapsOfDelegations, gapsOfPolicySet } from './governance-gaps.ts'
import { gapsOfApprovals, gapsOfArtifacts, gapsOfExecutions } from './gaps.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'

/** Runs the part of one message. A message that comes twice, or whose part was taken over, changes nothing. */
export async function continueFullPass({ tenant_id, mode, job_id, part, turn }: VerificationMessage): Promise<void> {
  const ctx = systemContext({ tenant_id, mode })
  if (job_id === undefined || !part || turn === undefined) return void (await startFullPass(ctx, 'schedule'))
  await continuePart(ctx, { job_id, part, turn })
}

async function continuePart(ctx: Context, turn: Turn): Promise<void> {
  const part = await takeTurn(ctx, turn)
  if (!part) return
  const result = await resultOf(ctx, part)
  if ('next' in result) return passOn(ctx, turn, result.next)
  const trigger = await finishPart(ctx, turn, await donePart(ctx, turn.job_id, part, result))
  if (trigger) await verifyChain(ctx, trigger)
}

const resultOf = async (ctx: Context, part: Part): Promise<PartResult | { next: Part }> =>
  part.kind === 'segment' ? verifySegment(ctx, part) : checkCompleteness(ctx, part)

/** Stores what a part found. Returns the trigger of the pass when it was the last part. */
async function finishPart(ctx: Context, turn: Turn, done: DonePart): Promise<Trigger | undefined> {
  const { last_job } = await changeState(ctx, (state) => {
    const job = withPart(state.job, turn, undefined)
    if (!job) return undefined
    const next: Job = { ...job, done: [...job.done, done] }
    return next.open.length > 0 ? { ...state, job: next } : ended(ctx, state, next)
  })
  return last_job?.id === turn.job_id ? last_job.trigger : undefined
}

async function ended(ctx: Context, state: VerifyState, job: Job): Promise<VerifyState> {
  if (!(await isWhole(ctx, job))) return givenUp(ctx, state, 'parts of a full pass are missing or not of the service')
  const { id, trigger, plan, done } = job
  const broken = findingsOf(job)
  const result = broken.length > 0 ? ('broken' as const) : ('valid' as const)
  const retention = done
    .flatMap((part) => part.retention ?? [])
    .toSorted()
    .at(-1)
  const last_full = {
    began_at: plan.began_at,
    at: iso(ctx.now()),
    size: plan.size,
    result,
    broken,
    ...given({ retention }),
  }
  const completeness = done.find((part) => part.completeness)?.completeness
  return {
    ...state,
    ...(await sealed(ctx, { completeness, ...(plan.size > 0 && { last_full }) })),
    job: undefined,
    given_up: undefined,
    last_job: { id, trigger },
  }
}

const PAGE = 500
/** The most items that one message checks, which takes some seconds. */
const ITEMS_MAX = 25_000

type Position = Extract<Part, { kind: 'completeness' }>

/** Checks all lists from a position on. Returns the result, or the position where the next message continues. */
async function checkCompleteness(
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
