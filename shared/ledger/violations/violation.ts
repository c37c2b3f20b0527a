// An open violation: a compliance check fails, and the tenant was notified. There is at most one for each check. Opening,
// reporting and closing return parts of a commit, so that a violation changes together with the state that it is about.
import * as z from 'zod'
import { place, SEVERITIES } from '../../base/catalog/measure-words.ts'
import type { Context, Space } from '../../base/context.ts'
import { entity, key, spaceKey, type Stored, type Write } from '../../base/table/entity.ts'
import { resourceMembers, spaceMembers } from '../../base/table/members.ts'
import type { Measure } from '../../base/catalog/measures.ts'
import { iso } from '../../base/lib/clock.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import { newArtifact } from '../evidence/artifact/artifact.ts'
import type { Transition } from '../evidence/artifact/record.ts'

export const Violation = z.object({
  ...resourceMembers,
  check_id: z.string(),
  severity: z.enum(SEVERITIES),
  framework_ids: z.array(z.string()),
  control_ids: z.array(z.string()),
  /** At most `NAMED_MAX`. */
  failing_ids: z.array(z.string()),
  /** The task to mend it. */
  task_id: z.string().optional(),
  opened_at: z.string(),
})
export type Violation = z.output<typeof Violation>

const NAMED_MAX = 20

const PREFIX = 'VIO'
const partitionOf = (space: Space): string => spaceKey(space, 'COMPLIANCE')

export const violations = entity({
  name: 'VIOLATION',
  unbound: 'proven by artifacts',
  schema: Violation,
  key: (of: Space & { check_id: string }) => ({ pk: partitionOf(of), sk: key(PREFIX, of.check_id) }),
})

export const openViolations = ({ table, space }: Context) =>
  table.query(violations, { pk: partitionOf(space), prefix: `${PREFIX}#` })

/**
 * Checks whose failure is reported at once, without a run of checks: a broken chain, and a breach that the authority was not
 * notified of in time. Both are wrong whether or not a framework asks for the check.
 */
export const REPORTED_AT_ONCE: readonly string[] = ['EVD-01', 'PRV-04']

const Concern = z.object({ framework_ids: z.array(z.string()), control_ids: z.array(z.string()) })
export type Concern = z.output<typeof Concern>

/**
 * The enabled frameworks with controls for each check that is reported at once. Every commit that enables or changes a
 * framework keeps it up to date, because the layers that report such a check know no frameworks.
 */
export const concerns = entity({
  name: 'CONCERNS',
  unbound: 'bounded',
  schema: z.object({ ...spaceMembers, checks: z.record(z.string(), Concern) }),
  key: (space: Space) => ({ pk: partitionOf(space), sk: 'TOLD' }),
})

async function concernOf({ table, space }: Context, check_id: string): Promise<Concern> {
  const found = await table.get(concerns, space)
  return found?.checks[check_id] ?? { framework_ids: [], control_ids: [] }
}

/**
 * A failing check. A violation names the first 20 `failing_ids`. Default of `framework_ids`: the enabled ones that have
 * controls for it.
 */
export type Detected = Pick<Violation, 'check_id' | 'severity' | 'failing_ids'> &
  Partial<Pick<Violation, 'framework_ids' | 'control_ids' | 'task_id'>>

/**
 * Goes into one commit together with `commitWith(ctx, [...own, ...transitions], { measures })`, inside `retryWhenChanged`. The
 * commit throws `ChangedMeanwhile` if another process opens or closes a violation of the check meanwhile.
 */
export type ViolationParts = {
  violation: Violation
  writes: Write[]
  transitions: [Transition]
  measures: Measure[]
}

/** Opens a violation; undefined when one of this check is open. */
export async function openViolation(ctx: Context, detected: Detected): Promise<ViolationParts | undefined> {
  const open = await ctx.table.get(violations, { ...ctx.space, check_id: detected.check_id })
  return open ? undefined : opened(ctx, detected)
}

/** Opens a violation, or adds failing ids to the open one. Undefined when the open one names them already, or 20 others. */
export async function reportViolation(ctx: Context, detected: Detected): Promise<ViolationParts | undefined> {
  const open = await ctx.table.get(violations, { ...ctx.space, check_id: detected.check_id })
  if (!open) return opened(ctx, detected)
  const added = detected.failing_ids.filter((id) => !open.failing_ids.includes(id))
  if (added.length === 0 || open.failing_ids.length >= NAMED_MAX) return undefined
  const failing_ids = [...added, ...open.failing_ids].slice(0, NAMED_MAX)
  const concern = detected.framework_ids ? {} : await concernOf(ctx, detected.check_id)
  const next = { ...open, ...concern, ...(detected.task_id && { task_id: detected.task_id }), failing_ids }
  return detectedParts(ctx, next, open)
}

async function opened(ctx: Context, { failing_ids, ...detected }: Detected): Promise<ViolationParts> {
  const own = { id: ctx.id('vio'), opened_at: iso(ctx.now()), failing_ids: failing_ids.slice(0, NAMED_MAX) }
  return detectedParts(ctx, { ...(await concernFor(ctx, detected)), ...ctx.space, ...detected, ...own })
}

type Concerned = Pick<Detected, 'check_id' | 'framework_ids' | 'control_ids'>

const concernFor = (ctx: Context, { framework_ids, control_ids = [], check_id }: Concerned) =>
  framework_ids ? { framework_ids, control_ids } : concernOf(ctx, check_id)

/** `was` is undefined for one that is opened. */
function detectedParts(ctx: Context, next: Violation, was?: Stored<Violation>): ViolationParts {
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
    writes: [
      was ? violations.replace(next, was, new ChangedMeanwhile()) : violations.insert(next, new ChangedMeanwhile()),
    ],
    transitions: [{ artifact, events: [event] }],
    measures: [['i', place(SEVERITIES, severity)]],
  }
}

/**
 * Closes the open violation of a check that passes again; undefined when none is open. The parts go into a commit as those
 * above.
 */
export async function closeViolation(ctx: Context, check_id: string): Promise<ViolationParts | undefined> {
  const of = { ...ctx.space, check_id }
  const violation = await ctx.table.get(violations, of)
  if (!violation) return undefined
  const { id, opened_at } = violation
  const artifact = newArtifact(ctx, {
    type: 'compliance.violation.closed',
    subject: { type: 'violation', id },
    data: { check_id, opened_at },
  })
  const same = { expression: '#id = :id', names: { '#id': 'id' }, values: { ':id': id } }
  return {
    violation,
    writes: [violations.remove(of, same, new ChangedMeanwhile())],
    transitions: [{ artifact }],
    measures: [],
  }
}
