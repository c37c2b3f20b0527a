// Stores the reported outcome of an action whose end this service could not see: one that its requester runs, or a call without an answer.
import type { Context, Principal } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { conflict, forbidden } from '../../base/lib/failure.ts'
import { retryWhenChanged } from '../../base/kernel/retry.ts'
import type { HttpResponse } from '../../base/wire/call.ts'
import { sealPayload } from '../../ledger/sealing/seal.ts'
import { conducted, triedRun } from '../executions/measures.ts'
import { type Execution, executions } from '../executions/execution.ts'
import { findExecution, readEventFacts } from '../executions/sealed/open-execution.ts'
import { executedEvent } from '../executions/events.ts'
import { transition } from '../executions/store.ts'
import { storedTexts } from '../governance/pii/stored-text.ts'
import { loadActionOf } from '../manifests/load.ts'
import { isOwn } from '../manifests/platform-nodes.ts'
import { afterChange, isRequester } from './changed-execution.ts'

type Report = NonNullable<Execution['report']>
export type OutcomeInput = { outcome: Report['outcome']; note?: string | undefined }

/** After the call, or after it ran. */
const WITHIN_MS = 7 * 86_400_000

/**
 * Afterwards the execution is executed or failed, with the report as evidence; the first report is final. Throws 403 for a caller who
 * cannot know the outcome or has an interest in it, 409 if it is known, was reported otherwise, is being undone, or ran more than seven
 * days ago. Takes no time from the caller. The same report again changes nothing.
 */
export async function reportOutcome(ctx: Context, requestId: string, input: OutcomeInput): Promise<HttpResponse> {
  const { note } = await storedTexts(ctx, { note: input.note })
  return afterChange(ctx, await retryWhenChanged(() => report(ctx, requestId, { ...input, note })))
}

async function report(ctx: Context, id: string, { outcome, note }: OutcomeInput) {
  const was = await findExecution(ctx, id)
  const of = was.report?.of ?? was.status
  mustKnow(ctx.principal, was, of)
  if (was.report?.outcome === outcome) return { execution: was, repeated: true }
  const ranAt = await mustBeReportable(ctx, was)
  const executed = outcome === 'succeeded'
  const { id: by, kind } = ctx.principal
  const sealed = note === undefined ? undefined : await sealNote(ctx, was, note)
  const next: Execution = {
    ...was,
    status: executed ? 'executed' : 'failed',
    report: { outcome, of: of as Report['of'], by: { type: kind, id: by }, at: iso(ctx.now()) },
    ...(sealed && { report_note: sealed.sealed }),
    ...(executed && { executed_at: was.executed_at ?? ranAt, error: undefined }),
  }
  const { execution, writes } = transition(ctx, was, next, [
    {
      facts: {
        type: 'execution.outcome_reported',
        outcome,
        ...(sealed && { data: { note_commitment: sealed.commitment } }),
      },
      events: (stored) => [executedEvent(readEventFacts(stored))],
      measures: measuresOf(was, executed),
    },
  ])
  await ctx.table.commit(writes, id)
  return { execution, repeated: false }
}

/** A requester who runs an action knows its outcome. The outcome of a call is reported by somebody who has no interest in it. */
function mustKnow(principal: Principal, execution: Execution, of: Execution['status']): void {
  const requested = isRequester(principal, execution)
  if (of === 'executed') {
    if (!requested) throw forbidden('You did not request this action. Its requester runs it and reports its outcome.')
  } else if (of === 'outcome_unknown' && (requested || !principal.permissions.has('approvals:decide'))) {
    throw forbidden('The outcome of this call is for an approver to find out who did not request it.')
  }
}

/** Returns when it ran. */
async function mustBeReportable(ctx: Context, was: Execution): Promise<string> {
  if (was.report) throw conflict(`This outcome was already reported as ${was.report.outcome}.`)
  if (was.status !== 'executed' && was.status !== 'outcome_unknown')
    throw conflict(`An action that is ${was.status} has no outcome to report.`)
  if (was.status === 'executed' && !(await isBrokered(ctx, was)))
    throw conflict('This service ran the action itself, so its outcome is known.')
  if (was.undo?.state === 'running' || was.undo?.state === 'held')
    throw conflict('This action is being undone. Wait for the end of the undo.')
  const ranAt = was.artifacts.findLast(({ type }) => type === 'protocol.executed')?.at ?? was.executed_at
  if (ranAt === undefined || ctx.now() > Date.parse(ranAt) + WITHIN_MS)
    throw conflict('An outcome can be reported for seven days only.')
  return ranAt
}

/** Without a target the requester runs it, except what runs inside the service. */
async function isBrokered(ctx: Context, was: Execution): Promise<boolean> {
  return !isOwn(was.node_id) && (await loadActionOf(ctx.table, ctx.space, was)).target === undefined
}

/** The key of its data subject, if it has one, so that an erasure reaches the note. */
const sealNote = (ctx: Context, was: Execution, note: string) =>
  sealPayload(ctx.space, executions.key(was), 'report_note', note, { keyName: was.subject_ref })

/** An action that its requester runs was counted as done when it was allowed. */
function measuresOf(was: Execution, executed: boolean) {
  if (was.status === 'executed') return executed ? [] : conducted(was, 'failed')
  return [...conducted(was, executed ? 'ok' : 'failed'), ...triedRun(was, executed, false)]
}
