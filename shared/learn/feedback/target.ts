// Finds what feedback is about.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { entity, type Key, spaceKey } from '../../base/table/entity.ts'
import { approvals } from '../../govern/approvals/approval.ts'
import { executions } from '../../govern/executions/execution.ts'
import { datasets } from '../datasets/dataset.ts'
import { models } from '../models/model.ts'
import type { TargetType } from './feedback.ts'

/** The newest version of a persona. Only that there is one matters here. */
const personas = entity({
  name: 'PERSONA',
  unbound: 'bounded',
  schema: z.object({ pk: z.string(), sk: z.string() }),
  key: (of: Key) => of,
})

/** Those that every tenant has; they are stored only once a tenant changes one. */
const SEEDED: readonly string[] = ['default', 'cautious', 'analyst', 'support', 'operator']

type Find = (ctx: Context, of: Space & { id: string }) => Promise<object | boolean | undefined>

const FIND: Record<TargetType, Find> = {
  execution: ({ table }, of) => table.get(executions, of),
  approval: ({ table }, of) => table.get(approvals, of),
  model: ({ table }, of) => table.get(models, of),
  dataset: ({ table }, of) => table.get(datasets, of),
  persona: async ({ table }, of) =>
    SEEDED.includes(of.id) || table.get(personas, { pk: spaceKey(of, 'PERSONA', of.id), sk: 'LATEST' }),
}

/** Throws 404. */
export async function mustBeThere(
  ctx: Context,
  { target_type, target_id }: { target_type: TargetType; target_id: string },
) {
  if (!(await FIND[target_type](ctx, { ...ctx.space, id: target_id }))) throw notFound(target_type)
}
