// Stores the results of a run part by part, so that the next worker begins after the last part, and opens or closes the
// violations that follow from them, each with the task to mend it.
import type { Context } from '../../base/context.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { commitWith, type Transition } from '../../ledger/evidence/artifact/record.ts'
import {
  closeViolation,
  openViolation,
  openViolations,
  REPORTED_AT_ONCE,
  type Violation,
  violations,
} from '../../ledger/violations/violation.ts'
import type { CheckFacts, Severity } from '../catalogue/catalogue.ts'
import { type CheckResult, checkResults } from '../checks/check-result.ts'
import { type CheckRun, checkRuns } from '../checks/run.ts'
import { runTurns, takenOver } from './claim-run.ts'
import type { Concern, Evaluated } from './evaluate.ts'
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import { closeTask, type TaskParts } from '../../govern/tasks/store-task.ts'
import { openTask } from '../../govern/tasks/open-task.ts'
import type { Mail } from '../../ledger/events/mail.ts'

const PART = 20

export type Judged = { check: CheckFacts; result: Evaluated; concern: Concern }

/** Throws when another worker has gone on with the run. */
export async function storeResults(ctx: Context, run: Stored<CheckRun>, judged: readonly Judged[]) {
  const open = new Map((await openViolations(ctx)).map((one) => [one.check_id, one]))
  const isLoud = (one: Judged): boolean => changeOf(one, open.get(one.check.id)) !== undefined
  let latest = run
  for (const part of partsOf(judged, isLoud)) latest = await storePart(ctx, latest, part)
  return latest
}

/** A check that opens or closes something is a part of its own, since its task may take the same worker as the next one. */
function partsOf(judged: readonly Judged[], isLoud: (one: Judged) => boolean): Judged[][] {
  const parts: Judged[][] = []
  let quiet: Judged[] = []
  for (const one of judged) {
    if (isLoud(one)) parts.push([one])
    else if (quiet.length > 0 && quiet.length < PART) quiet.push(one)
    else parts.push((quiet = [one]))
  }
  return parts
}

const storePart = (ctx: Context, was: Stored<CheckRun>, part: readonly Judged[]): Promise<Stored<CheckRun>> =>
  retryWhenChanged(async () => {
    const [only] = part
    const violation = part.length === 1 && only ? await violationParts(ctx, only) : undefined
    const before = await ctx.table.getAll(
      checkResults,
      part.map(({ check }) => ({ ...ctx.space, check_id: check.id })),
    )
    const known = new Map(before.map((one) => [one.check_id, one]))
    const found = part.map(({ result }) => ({
      ...result,
      previous_status: known.get(result.check_id)?.status ?? null,
    }))
    const next: CheckRun = {
      ...was,
      results: [...was.results, ...found],
      attempt: 1,
      ...runTurns.until(ctx.now()),
    }
    const [first, ...others] = violation?.transitions ?? []
    await ctx.table.commit([
      checkRuns.replace(next, was, takenOver),
      ...part.map(({ result }) => resultWrite(ctx, was.id, result, known.get(result.check_id))),
      ...(violation?.writes ?? []),
      ...(first ? commitWith(ctx, [first, ...others], violation) : []),
    ])
    return { ...next, _v: was._v + 1 }
  })

function resultWrite(ctx: Context, run_id: string, result: Evaluated, was: Stored<CheckResult> | undefined): Write {
  const { tenant_id, mode } = ctx.space
  const isSame = was?.status === result.status
  const next: CheckResult = {
    tenant_id,
    mode,
    run_id,
    ...result,
    previous_status: isSame ? was.previous_status : was?.status,
    changed_at: isSame ? was.changed_at : result.evaluated_at,
  }
  return was
    ? checkResults.replace(next, was, new ChangedMeanwhile())
    : checkResults.insert(next, new ChangedMeanwhile())
}

/** How long the task to mend it may take. A check of another severity opens nothing. */
const DUE: Partial<Record<Severity, { days: number; priority: 'urgent' | 'high' }>> = {
  critical: { days: 1, priority: 'urgent' },
  high: { days: 7, priority: 'high' },
}

type Of = { check: CheckFacts; result: Evaluated; concern: Concern }

/** Nobody asks for it any more: its frameworks were disabled, or its controls left the scope. */
const isUnasked = ({ check, concern }: Pick<Of, 'check' | 'concern'>): boolean =>
  concern.control_ids.length === 0 && !REPORTED_AT_ONCE.includes(check.id)

/**
 * How the violation changes. One that was opened at once, before a run of the check, gets its task here. Nothing follows from
 * `no_data` and `error`, nor from a check that speaks for no control in scope.
 */
function changeOf({ check, result: { status }, concern }: Of, open: Violation | undefined) {
  if (open && isUnasked({ check, concern })) return 'close' as const
  if (status === 'pass' || status === 'not_applicable') return open && ('close' as const)
  if (status !== 'fail' || concern.control_ids.length === 0 || !DUE[check.severity]) return undefined
  if (!open) return 'open' as const
  return open.task_id === undefined ? ('assign' as const) : undefined
}

export type ViolationParts = { writes: Write[]; transitions: Transition[]; measures: Measure[]; mails: Mail[] }

/** For one commit inside `retryWhenChanged`; undefined when there is nothing to do, or no longer. */
async function violationParts(ctx: Context, of: Of): Promise<ViolationParts | undefined> {
  const open = await ctx.table.get(violations, { ...ctx.space, check_id: of.check.id })
  const change = changeOf(of, open)
  if (change === 'close') return closed(ctx, open?.task_id, of)
  if (change === 'open') return opened(ctx, of)
  return change && open ? assigned(ctx, of, open) : undefined
}

async function opened(ctx: Context, { check, result, concern }: Of): Promise<ViolationParts | undefined> {
  const task = await taskOf(ctx, check)
  const { framework_ids, control_ids } = concern
  const { failing_ids } = result
  const violation = await openViolation(ctx, {
    check_id: check.id,
    severity: check.severity,
    failing_ids,
    framework_ids,
    control_ids,
    task_id: task.task.id,
  })
  return violation && together(task, violation)
}

async function assigned(ctx: Context, { check }: Of, open: Stored<Violation>): Promise<ViolationParts> {
  const task = await taskOf(ctx, check)
  const next = { ...open, task_id: task.task.id }
  return together(task, {
    writes: [violations.replace(next, open, new ChangedMeanwhile())],
    transitions: [],
    measures: [],
  })
}

async function closed(ctx: Context, task_id: string | undefined, of: Of): Promise<ViolationParts | undefined> {
  const { result } = of
  const end = isUnasked(of)
    ? { status: 'cancelled' as const, resolution: 'no enabled framework asks for the check' }
    : { status: 'completed' as const, resolution: `the check is ${result.status}` }
  const [violation, task] = await Promise.all([
    closeViolation(ctx, result.check_id),
    task_id === undefined ? undefined : closeTask(ctx, task_id, end),
  ])
  return violation && together(task, violation)
}

/** The task is assigned to the person with the fewest open tasks. */
function taskOf(ctx: Context, { id, title, remedy, severity }: CheckFacts): Promise<TaskParts> {
  const { days, priority } = DUE[severity] ?? { days: 7, priority: 'high' as const }
  return openTask(ctx, {
    kind: 'remediation',
    title: `${id}: ${title}`,
    description: `${remedy}.`,
    priority,
    due_at: iso(ctx.now() + days * DAY_MS),
    source: { type: 'check', id },
  })
}

type Parts = { writes: Write[]; transitions: Transition[]; measures: Measure[] }

const together = (task: TaskParts | undefined, { writes, transitions, measures }: Parts): ViolationParts => ({
  writes: [...(task?.writes ?? []), ...writes],
  transitions: [...(task?.transitions ?? []), ...transitions],
  measures,
  mails: task?.mails ?? [],
})
