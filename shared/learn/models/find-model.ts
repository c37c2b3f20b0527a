import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Model, models } from './model.ts'

const MODEL_ID = idPattern('mdl')

/** Throws 404. */
export async function findModel(ctx: Context, id: string): Promise<Stored<Model>> {
  const found = MODEL_ID.test(id) ? await ctx.table.get(models, { ...ctx.space, id }) : undefined
  if (!found) throw notFound('model')
  return found
}
