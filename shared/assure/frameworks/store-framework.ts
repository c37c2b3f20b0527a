// A change of a framework as the writes of a commit: the item, its evidence, audit entry and event, and the item by which lower
// layers know which frameworks a check concerns that is reported at once.
import type { Context } from '../../base/context.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import { aboutFramework, controlsOf } from '../catalogue/controls.ts'
import { scopeOf } from './assess.ts'
import { type Framework, frameworks } from './framework.ts'
import { type Concern, concerns, REPORTED_AT_ONCE } from '../../ledger/violations/violation.ts'
import { CHECKS } from '../catalogue/catalogue.ts'
import { compliancePartition } from '../checks/check-result.ts'

const FIELDS = [
  'enabled',
  'scope',
  'owner_user_id',
  'evidence_validity_days',
  'window_days',
  'catalogue_version',
] as const

type FrameworkChange = { writes: Write[]; changed_fields: string[] }

/** Undefined when nothing differs. */
export function frameworkChange(
  ctx: Context,
  was: Stored<Framework> | undefined,
  next: Framework,
): FrameworkChange | undefined {
  const changes = differences(was, next, FIELDS)
  const changed_fields = changes.map(({ path }) => path)
  if (changed_fields.length === 0) return undefined
  const { framework_id: id, enabled, catalogue_version } = next
  const scope = scopeOf({ framework_id: id, setting: next })
  const writes = [
    was ? frameworks.replace(next, was, new ChangedMeanwhile()) : frameworks.insert(next, new ChangedMeanwhile()),
    ...changed(ctx, [
      {
        action: `framework.${actionOf(was, next)}`,
        artifact: 'compliance.framework.updated',
        subject: { type: 'framework', id, name: aboutFramework(id).name },
        data: { enabled, scope, catalogue_version, changed_fields },
        changes,
        events: [
          {
            type: 'compliance.framework.updated',
            subject: { id, version: (was?._v ?? 0) + 1 },
            data: { framework_id: id, enabled, scope, catalogue_version, changed_fields },
          },
        ],
      },
    ]),
  ]
  return { writes, changed_fields }
}

function actionOf(was: Framework | undefined, { enabled }: Framework): 'enabled' | 'disabled' | 'updated' {
  if ((was?.enabled ?? false) === enabled) return 'updated'
  return enabled ? 'enabled' : 'disabled'
}

type KnownFrameworks = {
  all: Stored<Framework>[]
  /** For a commit in which a framework becomes `next`. */
  concernsWith: (next: Framework) => Write
}

/**
 * All that were ever enabled. Concerns are read first, so the commit throws `ChangedMeanwhile` if another one changes a
 * framework meanwhile.
 */
export async function readFrameworks({ table, space }: Context): Promise<KnownFrameworks> {
  const was = await table.get(concerns, space)
  const all = await table.query(frameworks, { pk: compliancePartition(space), prefix: 'FW#' })
  return {
    all,
    concernsWith: (next) => {
      const others = all.filter(({ framework_id }) => framework_id !== next.framework_id)
      const { tenant_id, mode } = space
      const stored = { tenant_id, mode, checks: concernsOf([...others, next]) }
      return was
        ? concerns.replace(stored, was, new ChangedMeanwhile())
        : concerns.insert(stored, new ChangedMeanwhile())
    },
  }
}

/** The enabled frameworks and their controls in scope, by each check that is reported at once. Pure. */
const concernsOf = (all: readonly Framework[]): Record<string, Concern> =>
  Object.fromEntries(REPORTED_AT_ONCE.map((check_id) => [check_id, concernIn(all, check_id)]))

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
