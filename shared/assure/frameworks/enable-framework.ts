// Enables a framework or changes its settings, within the number that the plan allows.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure, forbidden } from '../../base/lib/failure.ts'
import { given } from '../../base/lib/json.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { aboutFramework } from '../catalogue/controls.ts'
import { FRAMEWORK_IDS, type FrameworkId } from '../catalogue/framework-ids.ts'
import { requestRun } from '../checks/request-run.ts'
import { type EnableBody, ownerStays } from './change-control.ts'
import { DEFAULTS, type Framework, frameworks } from './framework.ts'
import { frameworkId } from './state.ts'
import { frameworkChange, readFrameworks } from './store-framework.ts'
import { PLAN_FACTS, UNLIMITED } from '../../base/limits/plans.ts'
import { tenants } from '../../base/tenant/tenant.ts'

/** Settings on which the controls that count, or the items that checks examine, depend. */
const RUNS_ANEW: readonly string[] = ['enabled', 'scope', 'window_days']

/**
 * Enables a framework, or changes the given settings of an enabled one. A change that affects statuses requests a full run in the
 * same commit. False when
 * nothing differs. Throws 404 for an unknown framework, 403 beyond the plan, and 422 for an unknown tag or owner.
 */
export async function enableFramework(ctx: Context, framework: string, body: Partial<EnableBody>): Promise<boolean> {
  const id = frameworkId(framework)
  mustKnowTags(id, body.scope ?? {})
  const enqueue = await retryWhenChanged(async () => {
    const { all, concernsWith } = await readFrameworks(ctx)
    const was = all.find(({ framework_id }) => framework_id === id)
    const next = enabledWith(ctx, id, was, body)
    const change = frameworkChange(ctx, was, next)
    if (!change) return undefined
    const others = was?.enabled ? [] : await othersStay(ctx, id, all)
    const owner = await ownerStays(ctx, body.owner_user_id)
    const runs = change.changed_fields.some((field) => RUNS_ANEW.includes(field))
    const run = runs ? await requestRun(ctx, { trigger: 'enable', scope: 'full' }) : NO_RUN
    await ctx.table.commit([...change.writes, concernsWith(next), ...others, ...owner, ...run.writes], id)
    return run.enqueue
  })
  await enqueue?.()
  return enqueue !== undefined
}

const NO_RUN = { writes: [], enqueue: async () => {} }

function mustKnowTags(id: FrameworkId, scope: Record<string, boolean>): void {
  const known = Object.keys(aboutFramework(id).scope_tags)
  const unknown = Object.keys(scope).filter((tag) => !known.includes(tag))
  const msg = known.length === 0 ? 'this framework has no tags' : `must be one of ${known.join(', ')}`
  if (unknown.length > 0)
    throw new Failure(
      'invalid',
      unknown.map((tag) => ({ loc: ['body', 'scope', tag], msg, type: 'value_error' })),
    )
}

function enabledWith(
  ctx: Context,
  framework_id: FrameworkId,
  was: Stored<Framework> | undefined,
  { scope, owner_user_id, ...days }: Partial<EnableBody>,
): Framework {
  const { version: catalogue_version } = aboutFramework(framework_id)
  const fresh = { ...ctx.space, framework_id, scope: {}, ...DEFAULTS, catalogue_version }
  const owner = owner_user_id === undefined ? was?.owner_user_id : (owner_user_id ?? undefined)
  return {
    ...fresh,
    ...was,
    ...given(days),
    enabled: true,
    enabled_at: was?.enabled ? was.enabled_at : iso(ctx.now()),
    scope: { ...was?.scope, ...scope },
    owner_user_id: owner,
  }
}

/**
 * Writes with which the commit fails if another framework changed after they were counted, so that two requests at once cannot
 * both take the last place. Throws 403 `plan_limit`. A plan limits the frameworks of each mode, both groups together.
 */
async function othersStay(ctx: Context, id: FrameworkId, all: readonly Stored<Framework>[]): Promise<Write[]> {
  const tenant = await ctx.table.get(tenants, { id: ctx.space.tenant_id })
  const max = PLAN_FACTS[tenant?.plan ?? 'free'].quotas.frameworks
  if (max === UNLIMITED) return []
  const others = FRAMEWORK_IDS.filter((one) => one !== id)
  const enabled = all.filter(({ framework_id, enabled: on }) => on && framework_id !== id)
  if (enabled.length >= max) {
    const count = max === 1 ? 'one compliance framework' : `${max} compliance frameworks`
    throw forbidden(`Your plan allows ${count}. Disable one or change your plan.`, { code: 'plan_limit' })
  }
  return others.map((framework_id) => {
    const revision = all.find((one) => one.framework_id === framework_id)?._v ?? 0
    return frameworks.stays({ ...ctx.space, framework_id }, revision, new ChangedMeanwhile())
  })
}
