// A change of a framework as the writes of a commit: the item, its evidence, audit entry and event.
import type { Context } from '../../base/context.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { differences } from '../../ledger/audit/differences.ts'
import { aboutFramework } from '../catalogue/controls.ts'
import { scopeOf } from './assess.ts'
import { type Framework, frameworks } from './framework.ts'

const FIELDS = [
  'enabled',
  'scope',
  'owner_user_id',
  'evidence_validity_days',
  'window_days',
  'catalogue_version',
] as const
export type FrameworkField = (typeof FIELDS)[number]

export type FrameworkChange = { writes: Write[]; changed_fields: string[] }

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
    was ? frameworks.replace(next, was, new Overtaken()) : frameworks.insert(next, new Overtaken()),
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
