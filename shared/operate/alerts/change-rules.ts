// Creates, changes and deletes alert rules.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure, invalid } from '../../base/lib/failure.ts'
import { workers } from '../../govern/tasks/worker.ts'
import type { Defined } from '../definitions/definition.ts'
import { change, create, find, remove } from '../definitions/definitions.ts'
import { given } from '../../base/lib/json.ts'
import { SLOS } from '../slos/slo.ts'
import { mustBeRunbook } from '../runbooks/runbook.ts'
import { resolveAlertsOf } from './move-alert.ts'
import { problemsOf, type RuleChange, type RuleInput } from './rule-fields.ts'
import { type AlertRule, RULES } from './rule.ts'

/**
 * Stores the rule; the next look at the metrics follows it. Throws 409 for one rule too many, 422 for members that a rule of its
 * kind cannot have, and for an objective, runbook or worker that does not exist.
 */
export async function createRule(ctx: Context, input: RuleInput): Promise<Defined<AlertRule>> {
  await mustFitTogether(ctx, input)
  const now = iso(ctx.now())
  return create(ctx, RULES, {
    ...ctx.space,
    id: ctx.id('rul'),
    ...input,
    created_at: now,
    updated_at: now,
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
  })
}

type Sent = RuleChange & { id: string }

/**
 * Changes the given members; the next look at the metrics follows the changed rule. Throws 404, 409 for another version, and 422
 * where the changed rule does not fit together. Of two changes at once one gets the 409.
 */
export async function changeRule(ctx: Context, { id, version, ...fields }: Sent): Promise<Defined<AlertRule>> {
  const was = await find(ctx, RULES, id)
  await mustFitTogether(ctx, { ...was, ...given(fields) })
  return change(ctx, RULES, { id, version, apply: (present) => ({ ...present, ...given(fields) }) })
}

/**
 * Deletes a rule of the tenant's own, then resolves its alerts. Throws 404, 409 for a built-in one and for another version. If the
 * process dies in between, the next look at the metrics ends the alerts.
 */
export async function deleteRule(
  ctx: Context,
  { id, version }: { id: string; version: number | undefined },
): Promise<void> {
  await remove(ctx, RULES, { id, version })
  await resolveAlertsOf(ctx, [id])
}

/** Throws 422 for what a rule of its kind cannot say, and for an objective or runbook that does not exist. */
async function mustFitTogether(ctx: Context, rule: RuleInput | AlertRule): Promise<void> {
  const problems = problemsOf(rule, ctx.now())
  if (problems.length > 0) {
    const violations = problems.map(({ member, message }) => ({
      loc: ['body', member],
      msg: message,
      type: 'value_error' as const,
    }))
    throw new Failure('invalid', violations)
  }
  const { slo_id, runbook_id, notify } = rule
  await Promise.all([
    slo_id && mustExist(ctx, slo_id),
    runbook_id && mustBeRunbook(ctx, runbook_id),
    mustReach(ctx, notify),
  ])
}

/** An agent reads no mails, so a rule that names one must open a task. */
async function mustReach({ table, space }: Context, { worker_ids, task }: AlertRule['notify']): Promise<void> {
  const ids = worker_ids.map((id) => ({ ...space, id }))
  const found = new Map((await table.getAll(workers, ids)).map((worker) => [worker.id, worker]))
  for (const [index, id] of worker_ids.entries()) {
    const loc = ['notify', 'worker_ids', index]
    const worker = found.get(id)
    if (!worker) throw invalid(loc, 'must be a worker of this tenant.')
    if (worker.type === 'ai' && !task) throw invalid(loc, 'must be a person where notify.task is false.')
  }
}

const mustExist = (ctx: Context, slo_id: string) =>
  find(ctx, SLOS, slo_id).catch((error: unknown) => {
    throw error instanceof Failure && error.kind === 'not_found'
      ? invalid(['slo_id'], 'must be an objective of this tenant.')
      : error
  })
