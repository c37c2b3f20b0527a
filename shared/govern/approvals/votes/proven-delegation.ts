// Apart from eligible.ts: a function that only lists approvals needs no right to read the chain.
import type { Context } from '../../../base/context.ts'
import type { EligibleVoter } from './eligible.ts'

/** Without those whose delegation has no evidence. */
export async function provenVoters(
  ctx: Context,
  given: ReadonlyMap<string, EligibleVoter>,
): Promise<Map<string, EligibleVoter>> {
  const { isProvenDelegation } = await import('../../delegations/proof.ts')
  const checked = await Promise.all(
    [...given].map(async ([id, eligible]) =>
      !eligible.delegation || (await isProvenDelegation(ctx, eligible.delegation)) ? ([[id, eligible]] as const) : [],
    ),
  )
  return new Map(checked.flat())
}
