// The results that the table keeps of full passes. Only sealed ones count: a result that somebody wrote into the table is none.
import type { Context } from '../../../base/context.ts'
import { alarm } from '../../../base/lib/log.ts'
import { isSealed, sealOf } from '../artifact/attest.ts'
import { chainName } from '../artifact/hashes.ts'
import { isStale } from './leases.ts'
import { type Completeness, type LastFull, readState, type VerifyState } from './verify-state.ts'

export type Results = { last_full?: LastFull | undefined; completeness?: Completeness | undefined }

/** Those of the state that the service sealed. The others are alarmed. */
export async function sealedResults(
  { space }: Context,
  { last_full, completeness, last_full_seal, completeness_seal }: Partial<VerifyState> = {},
): Promise<Results> {
  const [isPass, isCheck] = await Promise.all([
    last_full && isSealed(space, 'last-full', last_full, last_full_seal),
    completeness && isSealed(space, 'completeness', completeness, completeness_seal),
  ])
  if (isPass === false || isCheck === false) {
    alarm('evidence.result_forged', new Error('a result of verification is not of the service'), {
      chain: chainName(space),
    })
  }
  return { last_full: isPass ? last_full : undefined, completeness: isCheck ? completeness : undefined }
}

/** The last full pass, unless the next one is overdue. */
export async function freshPass(ctx: Context): Promise<LastFull | undefined> {
  const state = await readState(ctx)
  const { last_full } = await sealedResults(ctx, state)
  return isStale(state, last_full?.at, ctx.now()) ? undefined : last_full
}

/** The results with their seals, as members of the state. What is not given stays as it is. */
export async function sealed({ space }: Context, { last_full, completeness }: Results): Promise<Partial<VerifyState>> {
  return {
    ...(last_full && { last_full, last_full_seal: await sealOf(space, 'last-full', last_full) }),
    ...(completeness && { completeness, completeness_seal: await sealOf(space, 'completeness', completeness) }),
  }
}
