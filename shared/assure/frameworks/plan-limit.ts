// How many frameworks a plan allows, in each mode. Both groups count.
import type { Context } from '../../base/context.ts'
import { forbidden } from '../../base/lib/failure.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { PLAN_FACTS, UNLIMITED } from '../../base/limits/plans.ts'
import { tenants } from '../../base/tenant/tenant.ts'
import { FRAMEWORK_IDS, type FrameworkId } from '../catalogue/framework-ids.ts'
import { type Framework, frameworks } from './framework.ts'

/**
 * What holds a commit that enables one more to the others as they were counted, so that two at once do not both fit. Throws 403
 * `plan_limit`.
 */
export async function othersStay(ctx: Context, id: FrameworkId, all: readonly Stored<Framework>[]): Promise<Write[]> {
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
    return frameworks.stays({ ...ctx.space, framework_id }, revision, new Overtaken())
  })
}
