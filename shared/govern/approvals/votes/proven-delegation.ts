// Apart from what reads standings: who only lists approvals needs no right to read the chain.
import type { Context } from '../../../base/context.ts'
import type { EligibleVoter } from './delegated.ts'

/** Without those whose delegation has no evidence. */
export async function provenVoters(
  ctx: Context,
  given: ReadonlyMap<string, EligibleVoter>,
): Promise<Map<string, EligibleVoter>> {
  const { isProvenDelegation } = await import('../../delegations/proof.ts')
  const checked = await Promise.all(
    [...given].map(async ([id, standing]) =>
      !standing.delegation || (await isProvenDelegation(ctx, standing.delegation)) ? ([[id, standing]] as const) : [],
    ),
  )
  return new Map(checked.flat())
}
