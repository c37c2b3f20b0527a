// Keeps what lower layers tell of frameworks up to date: for which controls in scope the checks speak that are told at once.
import type { Context } from '../../base/context.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { type Concern, concerns, TOLD_AT_ONCE } from '../../ledger/violations/concern.ts'
import { CHECKS } from '../catalogue/catalogue.ts'
import { controlsOf } from '../catalogue/controls.ts'
import { compliancePartition } from '../checks/check-result.ts'
import { scopeOf } from './assess.ts'
import { type Framework, frameworks } from './framework.ts'

export type KnownFrameworks = {
  all: Stored<Framework>[]
  /** For a commit in which a framework becomes `next`. */
  concernsWith: (next: Framework) => Write
}

/** All that were ever enabled. Concerns are read first, so a commit beside another one's change throws `Overtaken`. */
export async function readFrameworks({ table, space }: Context): Promise<KnownFrameworks> {
  const was = await table.get(concerns, space)
  const all = await table.query(frameworks, { pk: compliancePartition(space), prefix: 'FW#' })
  return {
    all,
    concernsWith: (next) => {
      const others = all.filter(({ framework_id }) => framework_id !== next.framework_id)
      const { tenant_id, mode } = space
      const stored = { tenant_id, mode, checks: concernsOf([...others, next]) }
      return was ? concerns.replace(stored, was, new Overtaken()) : concerns.insert(stored, new Overtaken())
    },
  }
}

/** By check. Pure. */
export const concernsOf = (all: readonly Framework[]): Record<string, Concern> =>
  Object.fromEntries(TOLD_AT_ONCE.map((check_id) => [check_id, concernIn(all, check_id)]))

function concernIn(all: readonly Framework[], check_id: string): Concern {
  const mapped = CHECKS.find(({ id }) => id === check_id)?.controls ?? {}
  const touched = all
    .filter(({ enabled }) => enabled)
    .map((setting) => {
      const { framework_id } = setting
      const scope = scopeOf({ framework_id, setting })
      const control_ids = controlsOf(framework_id)
        .filter(({ id, scope: tags = [] }) => mapped[framework_id]?.includes(id) && tags.every((tag) => scope[tag]))
        .map(({ id }) => id)
      return { framework_id, control_ids }
    })
    .filter(({ control_ids }) => control_ids.length > 0)
  return {
    framework_ids: touched.map(({ framework_id }) => framework_id),
    control_ids: [...new Set(touched.flatMap(({ control_ids }) => control_ids))],
  }
}
