// The grants and registration tokens of a person. The index lags, so those of the last second may be missing.
import type { Context } from '../../base/context.ts'
import { accountPartition, type Artefact, artefacts } from '../artefacts/artefact.ts'
import { INITIAL } from './registration-token.ts'

/** Tokens that can still register a client. */
export const registrationTokensOf = (ctx: Context, user_id: string): Promise<Artefact[]> =>
  unusedOf(ctx, user_id, INITIAL)

export const grantsOf = (ctx: Context, user_id: string): Promise<Artefact[]> => unusedOf(ctx, user_id, 'Grant')

async function unusedOf(ctx: Context, user_id: string, model: string): Promise<Artefact[]> {
  const found = await ctx.table.query(artefacts, { pk: accountPartition(user_id), index: 'gsi1', prefix: `${model}#` })
  return found.filter(({ used_at, exp }) => used_at === undefined && exp * 1_000 > ctx.now())
}
