// What people have that can still be used, of one kind. The index lags, so what began in the last second may be missing.
import type { Context } from '../../base/context.ts'
import { accountPartition, type Artefact, artefacts } from './artefact.ts'

export const grantsOf = (ctx: Context, user_id: string): Promise<Artefact[]> => unusedOf(ctx, user_id, 'Grant')

export async function unusedOf(ctx: Context, user_id: string, model: string): Promise<Artefact[]> {
  const found = await ctx.table.query(artefacts, { pk: accountPartition(user_id), index: 'gsi1', prefix: `${model}#` })
  return found.filter(({ used_at, exp }) => used_at === undefined && exp * 1_000 > ctx.now())
}
