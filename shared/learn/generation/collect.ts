// Makes samples of the executions of a window: label, feedback, proof, payload, texts. Executions that the evidence does not
// confirm are left out, so that rows written past the service teach nothing.
import type { Context } from '../../base/context.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Approval } from '../../govern/approvals/approval.ts'
import { withEvidenceOf } from '../../govern/approvals/evidence.ts'
import { executionEvidence } from '../../govern/executions/evidence.ts'
import type { Execution } from '../../govern/executions/execution.ts'
import type { Dataset, DatasetFilters } from '../datasets/dataset.ts'
import { feedbackOn, isCounting, verdictOf } from '../feedback/proven-feedback.ts'
import type { Feedback } from '../feedback/feedback.ts'
import { type Label, labelOf, withFeedback } from '../samples/label.ts'
import type { Sample } from '../samples/sample.ts'
import { type Attention, heldOf, pagesBetween, readAttention } from './attention.ts'
import { draw, Prompts } from './draw.ts'
import type { Scratch } from './write-rows.ts'

const AT_ONCE = 16

export type Labelled = { execution: Stored<Execution>; label: Label; counting: Stored<Feedback>[] }

export type Collected = {
  samples: Sample[]
  counts: { below_confidence: number; rushed: number; unproven: number; pii_redactions: number; pii_dropped: number }
  residual: number
  /** Redactions by type of personal data. */
  types: Record<string, number>
}

/** What all pages share. */
type Sources = { filters: DatasetFilters; attention: Attention; feedback: Map<string, Stored<Feedback>[]> }

/** `onPage` gets the time (ms) up to which it is done. */
export async function collect(
  ctx: Context,
  dataset: Dataset & { filters: DatasetFilters },
  { scratch, onPage }: { scratch: Scratch; onPage: (until: number) => Promise<void> },
): Promise<Collected> {
  const { filters } = dataset
  const [from, to] = [Date.parse(filters.start_date), Date.parse(filters.end_date)]
  const attention = await readAttention(ctx, from, to)
  const sources = { filters, attention, feedback: await feedbackOn(ctx, 'execution') }
  const counts = { below_confidence: 0, rushed: 0, unproven: 0, pii_redactions: 0, pii_dropped: 0 }
  const prompts = new Prompts(ctx)
  const collected: Collected = { samples: [], counts, residual: 0, types: {} }
  for await (const page of pagesBetween(ctx, from, to)) {
    const labelled = await labelPage(ctx, page, sources, dataset.source)
    const sure = labelled.filter(({ label }) => label.confidence >= filters.min_confidence)
    const proven = await provenOf(ctx, sure)
    counts.below_confidence += labelled.length - sure.length
    counts.unproven += sure.length - proven.length
    counts.rushed += proven.filter(({ label }) => label.rushed).length
    await inParallel(AT_ONCE, proven, (one) => draw(ctx, dataset, one, { scratch, collected, prompts }))
    const last = page.at(-1)
    if (last) await onPage(timeOfId(last.id))
  }
  return collected
}

async function labelPage(
  ctx: Context,
  page: readonly Stored<Execution>[],
  { filters, attention, feedback }: Sources,
  source: Dataset['source'],
): Promise<Labelled[]> {
  const wanted = page.filter((one) => filters.include_tiers.includes(tierOf(one)))
  const held = new Map((await heldOf(ctx, wanted)).map((approval) => [approval.id, approval]))
  return wanted.flatMap((execution) => {
    const approval = held.get(execution.held?.id ?? '')
    const seconds = (vote: Approval['votes'][number]) => (approval ? attention(approval, vote) : 0)
    const first = labelOf({ execution, approval, attention: seconds, now: ctx.now() })
    const counting = (feedback.get(execution.id) ?? []).filter((one) => isCounting(one, execution, approval))
    const label = first && withFeedback(first, verdictsOf(counting))
    const isWanted = label && filters.include_sources.includes(label.source)
    return isWanted && (source !== 'feedback' || counting.length > 0) ? { execution, label, counting } : []
  })
}

const tierOf = ({ routing }: Execution): DatasetFilters['include_tiers'][number] => JSON.parse(routing).tier

const verdictsOf = (counting: readonly Feedback[]) => counting.flatMap((one) => verdictOf(one) ?? [])

/** The executions that agree with the evidence, and whose approvals do. */
async function provenOf(ctx: Context, labelled: readonly Labelled[]): Promise<Labelled[]> {
  const executions = labelled.map(({ execution }) => execution)
  const evidence = await executionEvidence(ctx, executions)
  const approvals = await withEvidenceOf(ctx, await heldOf(ctx, executions), executions)
  const differing = new Set(approvals.flatMap(({ id, evidence_status }) => (evidence_status === 'differs' ? id : [])))
  return labelled.filter(
    ({ execution }, index) =>
      evidence[index]?.evidence_status !== 'differs' && !differing.has(execution.held?.id ?? ''),
  )
}
