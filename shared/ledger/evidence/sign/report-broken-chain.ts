// Reports a chain that is found broken when it should be signed: nothing is signed, the findings are stored, and the tenant
// is notified once.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { alarm } from '../../../base/lib/log.ts'
import { retryWhenOvertaken } from '../../../base/table/retry.ts'
import { reportViolation } from '../../violations/open-violation.ts'
import { recorded } from '../artifact/record.ts'
import type { Finding } from '../chain/chain.ts'
import { brokenChain } from '../chain/violation.ts'
import { chainName } from '../artifact/hashes.ts'
import { readState, verifyStateKey, verifyStates } from '../verify/verify-state.ts'

const FINDINGS_MAX = 100

export async function reportBrokenChain(
  ctx: Context,
  detail: string,
  findings: readonly Finding[],
): Promise<'refused'> {
  const chain = chainName(ctx.space)
  alarm('evidence.checkpoint_refused', new Error(detail), { chain, findings: findings.length })
  const broken = { at: iso(ctx.now()), detail, findings: findings.slice(0, FINDINGS_MAX) }
  const condition = { expression: 'attribute_not_exists(#broken)', names: { '#broken': 'broken' } }
  await retryWhenOvertaken(async () => {
    if ((await readState(ctx))?.broken) return // the tenant was already notified
    const told = await reportViolation(ctx, brokenChain(findings))
    await ctx.table.commit([
      verifyStates.update(verifyStateKey(ctx.space), { set: { broken, _type: verifyStates.name }, condition }),
      ...(told ? [...told.writes, ...recorded(ctx, told.transitions, told)] : []),
    ])
  })
  return 'refused'
}
