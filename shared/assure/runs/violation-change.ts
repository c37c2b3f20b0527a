// What a result does to the violation of its check, and to the task of whoever mends it.
import { DAY_MS, iso } from '../../base/lib/clock.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import type { Context } from '../../base/context.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { closeTask, type TaskParts } from '../../govern/tasks/store-task.ts'
import { openTask } from '../../govern/tasks/open-task.ts'
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import { closeViolation } from '../../ledger/violations/close-violation.ts'
import { TOLD_AT_ONCE } from '../../ledger/violations/concern.ts'
import { openViolation } from '../../ledger/violations/open-violation.ts'
import { type Violation, violations } from '../../ledger/violations/violation.ts'
import type { CheckFacts, Severity } from '../catalogue/catalogue.ts'
import type { Concern } from './concern.ts'
import type { Evaluated } from './evaluate.ts'

/** How long whoever mends it has. A check of another severity opens nothing. */
const DUE: Partial<Record<Severity, { days: number; priority: 'urgent' | 'high' }>> = {
  critical: { days: 1, priority: 'urgent' },
  high: { days: 7, priority: 'high' },
}

export type ViolationChange = 'open' | 'assign' | 'close'

type Of = { check: CheckFacts; result: Evaluated; concern: Concern }

/** Nobody asks for it any more: its frameworks were disabled, or its controls left the scope. */
const isUnasked = ({ check, concern }: Pick<Of, 'check' | 'concern'>): boolean =>
  concern.control_ids.length === 0 && !TOLD_AT_ONCE.includes(check.id)

/**
 * What is to be done. One that was opened at once, without waiting for the check, gets its task here. Nothing follows from `no_data` and
 * `error`, nor from a check that speaks for no control in scope.
 */
export function changeOf({ check, result: { status }, concern }: Of, open: Violation | undefined) {
  if (open && isUnasked({ check, concern })) return 'close' as const
  if (status === 'pass' || status === 'not_applicable') return open && ('close' as const)
  if (status !== 'fail' || concern.control_ids.length === 0 || !DUE[check.severity]) return undefined
  if (!open) return 'open' as const
  return open.task_id === undefined ? ('assign' as const) : undefined
}

export type ViolationParts = { writes: Write[]; transitions: Transition[]; measures: Measure[]; mails: Mail[] }

/** For one commit inside `retryWhenOvertaken`; undefined when there is nothing to do, or no longer. */
export async function violationParts(ctx: Context, of: Of): Promise<ViolationParts | undefined> {
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
  const told = await openViolation(ctx, {
    check_id: check.id,
    severity: check.severity,
    failing_ids,
    framework_ids,
    control_ids,
    task_id: task.task.id,
  })
  return told && together(task, told)
}

async function assigned(ctx: Context, { check }: Of, open: Stored<Violation>): Promise<ViolationParts> {
  const task = await taskOf(ctx, check)
  const next = { ...open, task_id: task.task.id }
  return together(task, { writes: [violations.replace(next, open, new Overtaken())], transitions: [], measures: [] })
}

async function closed(ctx: Context, task_id: string | undefined, of: Of): Promise<ViolationParts | undefined> {
  const { result } = of
  const end = isUnasked(of)
    ? { status: 'cancelled' as const, resolution: 'no enabled framework asks for the check' }
    : { status: 'completed' as const, resolution: `the check is ${result.status}` }
  const [told, task] = await Promise.all([
    closeViolation(ctx, result.check_id),
    task_id === undefined ? undefined : closeTask(ctx, task_id, end),
  ])
  return told && together(task, told)
}

/** To whoever has least to do. */
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

type Told = { writes: Write[]; transitions: Transition[]; measures: Measure[] }

const together = (task: TaskParts | undefined, { writes, transitions, measures }: Told): ViolationParts => ({
  writes: [...(task?.writes ?? []), ...writes],
  transitions: [...(task?.transitions ?? []), ...transitions],
  measures,
  mails: task?.mails ?? [],
})
