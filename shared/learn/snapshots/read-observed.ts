// Reads the executions of a window as learning sees them. Those that the evidence does not confirm are left out, so that rows
// written past the service teach nothing.
import type { Context } from '../../base/context.ts'
import { Failure } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Approval } from '../../govern/approvals/approval.ts'
import { isRushed } from '../../govern/approvals/votes/attention.ts'
import { counts } from '../../govern/approvals/votes/rules.ts'
import { withEvidenceOf } from '../../govern/approvals/evidence.ts'
import { unpackEvaluations } from '../../govern/executions/evaluations.ts'
import { actorsBehind } from '../../govern/executions/measures.ts'
import { executionEvidence } from '../../govern/executions/evidence.ts'
import { type Execution, PAYLOAD_INLINE_BYTES, type RoutingDecision } from '../../govern/executions/execution.ts'
import { policies, policiesOf } from '../../govern/governance/stored-rules.ts'
import { Policy } from '../../govern/governance/policy.ts'
import { endpointHash } from '../../govern/manifests/node.ts'
import { loadVersion } from '../../govern/manifests/load.ts'
import { feedbackOn, isCounting, verdictOf } from '../feedback/proven-feedback.ts'
import type { Feedback } from '../feedback/feedback.ts'
import { type Attention, heldOf, pagesBetween, readAttention } from '../generation/attention.ts'
import type * as z from 'zod'
import type { Decided, Observed, Severity } from './figures.ts'

const EXECUTIONS_MAX = 100_000

export type ObservedAction = { node_id: string; action_id: string; endpoint_sha256: string; observed: Observed[] }
/** `actors`: whose conduct the executions added to. */
export type ObservedWindow = { actions: Map<string, ObservedAction>; actors: Set<string>; unproven: number }

type Window = { from: number; to: number; only?: { node_id?: string | undefined; action_id?: string | undefined } }
type Sources = {
  attention: Attention
  feedback: Map<string, Stored<Feedback>[]>
  severities: ReadonlyMap<string, Severity>
}

export const actionName = ({ node_id, action_id, endpoint_sha256 }: Omit<ObservedAction, 'observed'>): string =>
  `${node_id}/${action_id}/${endpoint_sha256}`

/** Throws 422 for a window with more than it reads. Undos are no samples of their action. */
export async function readObserved(ctx: Context, { from, to, only = {} }: Window): Promise<ObservedWindow> {
  const window: ObservedWindow = { actions: new Map(), actors: new Set(), unproven: 0 }
  const [attention, feedback, severities] = await Promise.all([
    readAttention(ctx, from, to),
    feedbackOn(ctx, 'execution'),
    severitiesOf(ctx),
  ])
  let read = 0
  for await (const page of pagesBetween(ctx, from, to)) {
    read += page.length
    if (read > EXECUTIONS_MAX) throw new Failure('invalid', `The window has more than ${EXECUTIONS_MAX} executions.`)
    const wanted = page.filter(
      ({ undo_of, node_id, action_id }) =>
        undo_of === undefined && (only.node_id ?? node_id) === node_id && (only.action_id ?? action_id) === action_id,
    )
    await addPage(ctx, wanted, { attention, feedback, severities }, window)
  }
  return window
}

async function addPage(ctx: Context, page: readonly Stored<Execution>[], sources: Sources, window: ObservedWindow) {
  const [evidence, held] = await Promise.all([executionEvidence(ctx, page), heldOf(ctx, page)])
  const approvalOf = new Map((await withEvidenceOf(ctx, held, page)).map((one) => [one.id, one]))
  for (const [index, execution] of page.entries()) {
    const approval = approvalOf.get(execution.held?.id ?? '')
    const differs = evidence[index]?.evidence_status === 'differs' || approval?.evidence_status === 'differs'
    const version = differs ? undefined : await loadVersion(ctx.table, ctx.space, execution.node_id, execution.version)
    const endpoint = version?.endpoints.get(execution.action_id)
    if (!endpoint) window.unproven += 1
    else
      add(
        window,
        execution,
        endpointHash(endpoint),
        observe(
          execution,
          held.find(({ id }) => id === approval?.id),
          sources,
        ),
      )
  }
}

function add({ actions, actors }: ObservedWindow, execution: Execution, endpoint_sha256: string, one: Observed) {
  const { node_id, action_id } = execution
  for (const actor of actorsBehind(execution)) actors.add(actor)
  const named = { node_id, action_id, endpoint_sha256 }
  const known = actions.get(actionName(named)) ?? { ...named, observed: [] }
  known.observed.push(one)
  actions.set(actionName(named), known)
}

function observe(execution: Execution, approval: Approval | undefined, sources: Sources): Observed {
  const { tier, confidence }: z.output<typeof RoutingDecision> = JSON.parse(execution.routing)
  const said = (sources.feedback.get(execution.id) ?? []).filter((one) => isCounting(one, execution, approval))
  const model = unpackEvaluations(execution.evaluations).find(({ policy_id }) => policy_id.startsWith('model:'))
  return {
    id: execution.id,
    tier,
    status: execution.status,
    confidence,
    latency_ms: execution.latency_ms,
    payload_bytes: execution.payload?.length ?? (execution.payload_apart ? PAYLOAD_INLINE_BYTES : 0),
    decided: approval && decisionOn(approval, sources.attention),
    violation: violationOf(execution, sources.severities),
    feedback: {
      good: said.filter((one) => verdictOf(one) === 'good').length,
      bad: said.filter((one) => verdictOf(one) === 'bad').length,
      unsafe: said.filter(({ label }) => label === 'unsafe').length,
    },
    score: model?.score,
  }
}

/** Undefined for one that nobody decided. */
function decisionOn(approval: Approval, attention: Attention): Decided | undefined {
  const { status, method, decided_at, requested_at } = approval
  const isDecided = status === 'approved' || status === 'rejected'
  if (!isDecided || decided_at === undefined || (method !== 'manual' && method !== 'api_key')) return undefined
  const deciding = approval.votes.filter(
    (vote) => counts(vote) && vote.decision === (status === 'approved' ? 'approve' : 'reject'),
  )
  const people = deciding.filter(({ by }) => by.type === 'user')
  const careful = people.filter((vote) => !vote.self && !isRushed(attention(approval, vote)))
  return {
    verdict: status,
    by: people.length > 0 ? 'person' : 'key',
    at: decided_at,
    seconds: (Date.parse(decided_at) - Date.parse(requested_at)) / 1_000,
    self: deciding.length > 0 && deciding.every(({ self }) => self === true),
    rushed: people.length > 0 && people.every((vote) => isRushed(attention(approval, vote))),
    careful_voters: careful.map(({ by }) => by.id),
    attention: people.map((vote) => attention(approval, vote)),
  }
}

/** Built-in refusals with their severities; freezes, floods and the like are no fault of the request. */
const BUILT_IN: ReadonlyMap<string, Severity> = new Map([
  ['pii', 'high'],
  ['persona', 'medium'],
])

function violationOf({ rejection }: Execution, severities: ReadonlyMap<string, Severity>): Severity | undefined {
  if (!rejection) return undefined
  const { policy_id } = rejection
  if (policy_id.startsWith('pol_')) return severities.get(policy_id) ?? 'high'
  return BUILT_IN.get(policy_id.split(':')[0] ?? '')
}

/** Of all policies, enabled or not. */
async function severitiesOf({ table, space }: Context): Promise<Map<string, Severity>> {
  const all = await table.query(policies, policiesOf(space))
  return new Map(all.map(({ policy_id, body }) => [policy_id, Policy.parse(JSON.parse(body)).severity]))
}
