// Opens a violation, or tells more of one that is open, as the parts of the caller's commit.
import { place, SEVERITIES } from '../../base/catalog/measure-words.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { newArtifact } from '../evidence/artifact/artifact.ts'
import type { Transition } from '../evidence/artifact/record.ts'
import { concernOf } from './concern.ts'
import { NAMED_MAX, type Violation, violations } from './violation.ts'

/** Of `failing_ids` the first 20 are named. Without `framework_ids` it concerns the enabled ones that have controls for it. */
export type Detected = Pick<Violation, 'check_id' | 'severity' | 'failing_ids'> &
  Partial<Pick<Violation, 'framework_ids' | 'control_ids' | 'task_id'>>

/**
 * Goes into one commit together with `recorded(ctx, [...own, ...transitions], { measures })`, inside `retryWhenOvertaken`: a
 * violation of the check that somebody else opens or closes meanwhile throws `Overtaken`.
 */
export type ViolationParts = {
  violation: Violation
  writes: Write[]
  transitions: [Transition]
  measures: Measure[]
}

/** Undefined when one of this check is open. */
export async function openViolation(ctx: Context, detected: Detected): Promise<ViolationParts | undefined> {
  const open = await ctx.table.get(violations, { ...ctx.space, check_id: detected.check_id })
  return open ? undefined : opened(ctx, detected)
}

/** Also tells what fails that the open violation does not name yet. Undefined when there is nothing new to tell. */
export async function reportViolation(ctx: Context, detected: Detected): Promise<ViolationParts | undefined> {
  const open = await ctx.table.get(violations, { ...ctx.space, check_id: detected.check_id })
  if (!open) return opened(ctx, detected)
  const added = detected.failing_ids.filter((id) => !open.failing_ids.includes(id))
  if (added.length === 0 || open.failing_ids.length >= NAMED_MAX) return undefined
  const failing_ids = [...added, ...open.failing_ids].slice(0, NAMED_MAX)
  const concern = detected.framework_ids ? {} : await concernOf(ctx, detected.check_id)
  const next = { ...open, ...concern, ...(detected.task_id && { task_id: detected.task_id }), failing_ids }
  return told(ctx, next, open)
}

async function opened(ctx: Context, { failing_ids, ...detected }: Detected): Promise<ViolationParts> {
  const own = { id: ctx.id('vio'), opened_at: iso(ctx.now()), failing_ids: failing_ids.slice(0, NAMED_MAX) }
  return told(ctx, { ...(await concernFor(ctx, detected)), ...ctx.space, ...detected, ...own })
}

type Concerned = Pick<Detected, 'check_id' | 'framework_ids' | 'control_ids'>

const concernFor = (ctx: Context, { framework_ids, control_ids = [], check_id }: Concerned) =>
  framework_ids ? { framework_ids, control_ids } : concernOf(ctx, check_id)

/** `was` is undefined for one that is opened. */
function told(ctx: Context, next: Violation, was?: Stored<Violation>): ViolationParts {
  const { id, check_id, severity, framework_ids, control_ids, failing_ids, task_id = null } = next
  const artifact = newArtifact(ctx, {
    type: 'compliance.violation.detected',
    subject: { type: 'violation', id },
    data: { check_id, severity, failing_ids },
  })
  const event = {
    type: 'compliance.violation.detected' as const,
    subject: { id, version: (was?._v ?? 0) + 1 },
    data: { violation_id: id, check_id, severity, framework_ids, control_ids, failing_ids, task_id },
  }
  return {
    violation: next,
    writes: [was ? violations.replace(next, was, new Overtaken()) : violations.insert(next, new Overtaken())],
    transitions: [{ artifact, events: [event] }],
    measures: [['i', place(SEVERITIES, severity)]],
  }
}
