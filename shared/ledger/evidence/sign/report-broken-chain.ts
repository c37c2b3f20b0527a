// Reports a chain that is found broken when it should be signed: nothing is signed, the break is stored, and the tenant is
// notified of what it was not told yet.
import type { Context } from '../../../base/context.ts'
import { alarm } from '../../../base/lib/log.ts'
import { retryWhenOvertaken } from '../../../base/kernel/retry.ts'
import { reportViolation } from '../../violations/violation.ts'
import { recorded } from '../artifact/record.ts'
import type { Finding } from '../chain/chain.ts'
import { brokenChain } from '../chain/refused.ts'
import { chainName } from '../artifact/hashes.ts'
import { storeBreak } from '../verify/results.ts'

export async function reportBrokenChain(
  ctx: Context,
  detail: string,
  findings: readonly Finding[],
): Promise<'refused'> {
  const chain = chainName(ctx.space)
  alarm('evidence.checkpoint_refused', new Error(detail), { chain, findings: findings.length })
  await storeBreak(ctx, detail, findings)
  await retryWhenOvertaken(async () => {
    const told = await reportViolation(ctx, brokenChain(findings))
    if (told) await ctx.table.commit([...told.writes, ...recorded(ctx, told.transitions, told)])
  })
  return 'refused'
}
