// Feedback that the evidence proves, which of it counts, and the verdict that it gives. Feedback overturns labels, so somebody who
// can write to the table must not be able to invent it: only the content of its artifact is read.
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import type { Stored } from '../../base/table/entity.ts'
import { artifactIdOf, artifactKey, artifacts, readable } from '../../ledger/evidence/artifact/artifact.ts'
import { artifactHash, publicHash } from '../../ledger/evidence/artifact/hashes.ts'
import { readHeader } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { inChain } from '../../ledger/evidence/chain/row-evidence.ts'
import {
  artifactData,
  type Feedback,
  FEEDBACK_ARTIFACT,
  feedbacks,
  feedbacksPartition,
  type TargetType,
} from './feedback.ts'
import type { Approval } from '../../govern/approvals/approval.ts'
import { counts } from '../../govern/approvals/votes/rules.ts'
import type { Execution } from '../../govern/executions/execution.ts'

const PAGE = 500

/** All proven feedback on one kind of target, by the target's id. */
export async function feedbackOn(ctx: Context, type: TargetType): Promise<Map<string, Stored<Feedback>[]>> {
  const found: Stored<Feedback>[] = []
  const range = { pk: feedbacksPartition(ctx.space), index: 'gsi1', limit: PAGE } as const
  for (let after: string | undefined; ;) {
    const page = await ctx.table.query(feedbacks, { ...range, after })
    found.push(
      ...(await proven(
        ctx,
        page.filter(({ target_type }) => target_type === type),
      )),
    )
    after = page.at(-1)?.id
    if (page.length < PAGE) return Map.groupBy(found, ({ target_id }) => target_id)
  }
}

async function proven(ctx: Context, items: readonly Stored<Feedback>[]): Promise<Stored<Feedback>[]> {
  const keys = items.map(({ artifact }) => artifactKey(ctx.space, artifact.id))
  const stored = (await ctx.table.read(readable(artifacts), keys)).filter((item) => item !== undefined)
  const chained = await inChain(ctx, stored)
  const byId = new Map(stored.flatMap((item) => (chained.has(item) ? [[artifactIdOf(item.sk), item.header]] : [])))
  return items.filter((item) => says(byId.get(item.artifact.id), item))
}

function says(text: string | undefined, item: Feedback): boolean {
  if (text === undefined || publicHash(artifactHash(text)) !== item.artifact.hash) return false
  const { type, subject, actor, data } = readHeader(text) ?? {}
  return (
    type === FEEDBACK_ARTIFACT &&
    subject?.id === item.id &&
    actor?.id === item.created_by.id &&
    actor.kind === item.created_by.type &&
    canonicalJson(data) === canonicalJson(artifactData(item))
  )
}

type Said = Pick<Feedback, 'rating' | 'label' | 'created_by' | 'persons' | 'may_decide'>

/**
 * Whether feedback on an execution counts. Nothing that an agent writes can make a rejected action look right, so only people count
 * who could have decided, did not, and did not ask for it.
 */
export function isCounting(
  { created_by, persons, may_decide }: Said,
  { requested_by, persons: behind }: Pick<Execution, 'requested_by' | 'persons'>,
  approval: Pick<Approval, 'votes'> | undefined,
): boolean {
  if (created_by.type !== 'user' || !may_decide) return false
  const all = [created_by.id, ...persons]
  const voters = approval?.votes.filter(counts).flatMap((vote) => [vote.by.id, ...vote.persons]) ?? []
  return !all.some((person) => person === requested_by.id || behind.includes(person) || voters.includes(person))
}

/** The label wins over the rating. Undefined: it takes no side. */
export function verdictOf({ rating, label }: Pick<Said, 'rating' | 'label'>): 'good' | 'bad' | undefined {
  if (label === 'correct') return 'good'
  if (label === 'incorrect' || label === 'unsafe') return 'bad'
  if (label === 'unnecessary' || rating === 0) return undefined
  return rating === 1 ? 'good' : 'bad'
}
