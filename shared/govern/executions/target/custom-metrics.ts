// The node `platform.metrics.custom`: what its payload counts becomes measures of the transaction in which it runs.
import * as z from 'zod'
import type { Measure } from '../../../base/catalog/measures.ts'
import type { Context, Space } from '../../../base/context.ts'
import type { BuiltInEffect } from '../built-in-effects.ts'
import { invalid } from '../../../base/lib/failure.ts'
import { ChangedMeanwhile } from '../../../base/kernel/retry.ts'
import { entity, spaceKey, type Write } from '../../../base/table/entity.ts'
import { spaceMembers } from '../../../base/table/members.ts'
import type { JsonObject } from '../../../base/wire/parse-body.ts'

/** Each name is a series that is kept for years. */
const NAMES_MAX = 50

const customNames = entity({
  name: 'CUSTOMNAMES',
  unbound: 'bounded',
  schema: z.object({ ...spaceMembers, names: z.array(z.string()) }),
  key: (space: Space) => ({ pk: spaceKey(space, 'OPS'), sk: 'CUSTOM' }),
})

export const pushEffect: BuiltInEffect = { run: (ctx, { payload }) => pushed(ctx, payload) }

type Pushed = { measures: Measure[]; writes: Write[] }
type Metric = { name: string; good: number; total: number }

/** Throws 422 for more good events than events, and for one name too many. */
async function pushed(ctx: Context, payload: JsonObject): Promise<Pushed> {
  const metrics = payload.metrics as Metric[] // as the input schema of the action demands
  const excess = metrics.findIndex(({ good, total }) => good > total)
  if (excess >= 0) throw invalid(['payload', 'metrics', excess, 'good'], 'must not exceed total')
  return {
    measures: metrics.map(({ name, good, total }) => ['c', name, good, total]),
    writes: await namesWrite(ctx, metrics),
  }
}

/** None when all names are known. */
async function namesWrite({ table, space }: Context, metrics: readonly Metric[]): Promise<Write[]> {
  const was = await table.get(customNames, space)
  const known = was?.names ?? []
  const names = [...new Set([...known, ...metrics.map(({ name }) => name)])]
  if (names.length === known.length) return []
  if (names.length > NAMES_MAX) throw invalid(['payload', 'metrics'], `would make more than ${NAMES_MAX} names`)
  const next = { ...space, names }
  return [
    was ? customNames.replace(next, was, new ChangedMeanwhile()) : customNames.insert(next, new ChangedMeanwhile()),
  ]
}
