// What people compare a held action with: its definition when it was approved last, because a known name may do something else now,
// and equal requests with what became of each. Both are computed when they are shown, and no digest binds them.
import type { Context } from '../../../base/context.ts'
import { canonicalJson } from '../../../base/lib/json.ts'
import { endpointHash } from '../../manifests/node.ts'
import { type LoadedVersion, loadVersion } from '../../manifests/load.ts'
import { type Approval, approvals, statusPartition } from '../approval.ts'
import type { ChangedSince, RepeatView } from './approval.ts'
import { executions } from '../../executions/execution.ts'
import { equalTo } from '../repeats.ts'
import { withEvidenceOf } from '../evidence.ts'

/** How far back an approval is looked for. */
const LOOK_BACK = 100
const CHANGES_MAX = 50
/** Longer values are cut, because their beginning is enough to recognise them. */
const VALUE_MAX = 300

/** `now`: the version that the approval is about. */
export async function changedSince(
  { table, space }: Context,
  { node_id, action_id }: Approval,
  now: LoadedVersion,
): Promise<ChangedSince | undefined> {
  const range = { pk: statusPartition(space, 'approved'), index: 'gsi1', limit: LOOK_BACK, descending: true } as const
  const approved = await table.query(approvals, range)
  const last = approved
    .filter((one) => one.node_id === node_id && one.action_id === action_id)
    .toSorted((a, b) => (decidedAt(a) < decidedAt(b) ? 1 : -1))[0]
  const before = last && (await loadVersion(table, space, node_id, last.version))?.endpoints.get(action_id)
  const after = now.endpoints.get(action_id)
  if (!before || !after || endpointHash(before) === endpointHash(after)) return undefined
  const found = [...differences(before, after)].slice(0, CHANGES_MAX)
  return { version: last.version, approval_id: last.id, approved_at: decidedAt(last), differences: found }
}

const decidedAt = ({ decided_at = '' }: Approval): string => decided_at

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members that differ, of maps in maps. */
function* differences(before: unknown, after: unknown, path = ''): Generator<ChangedSince['differences'][number]> {
  if (isMap(before) && isMap(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* differences(
        own(before, name),
        own(after, name),
        `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      )
  } else if (textOf(before) !== textOf(after)) yield { path, before: shortened(before), after: shortened(after) }
}

const own = (map: Record<string, unknown>, name: string) => (Object.hasOwn(map, name) ? map[name] : undefined)
const textOf = (value: unknown) => (value === undefined ? undefined : canonicalJson(value))

function shortened(value: unknown): string | undefined {
  const text = textOf(value)
  return text && text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text
}

const SHOWN_MAX = 10

/** Equal requests, the newest first. If the evidence contradicts one, it is shown without decider and reason. */
export async function repeatsOf(ctx: Context, { id, request_id, repeat_key }: Approval): Promise<RepeatView[]> {
  if (repeat_key === undefined) return []
  const equals = (await equalTo(ctx, repeat_key)).filter((one) => one.id !== id && one.request_id !== request_id)
  const first = equals.slice(0, SHOWN_MAX)
  if (first.length === 0) return []
  const found = await ctx.table.getAll(
    executions,
    first.map((one) => ({ ...ctx.space, id: one.request_id })),
  )
  const statusOf = new Map(found.map((one) => [one.id, one.status]))
  const shown = await withEvidenceOf(ctx, first, found)
  return shown.flatMap(({ id: approval_id, consumed_at, requested_at, requested_by, agent_id, ...one }) => {
    const status = statusOf.get(one.request_id)
    if (!status) return []
    const { decided_by, decided_at, reason } = one
    const at = consumed_at ?? decided_at ?? requested_at
    return { approval_id, request_id: one.request_id, status, at, requested_by, agent_id, decided_by, reason }
  })
}
