// Reports a chain that is found broken when it should be signed: nothing is signed, the findings are stored, and the tenant
// is notified once.
import type { Context } from '../../../base/context.ts'
import { packEvents } from '../../events/outbox.ts'
import { iso } from '../../../base/lib/clock.ts'
import { alarm } from '../../../base/lib/log.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import type { Finding } from '../chain/chain.ts'
import { violationEvent, VIOLATION } from '../chain/violation.ts'
import { chainName } from '../artifact/hashes.ts'
import { outbox, outboxKey } from '../../events/outbox-item.ts'
import { verifyStateKey, verifyStates } from '../verify/verify-state.ts'

const FINDINGS_MAX = 100

export async function reportBrokenChain(
  ctx: Context,
  detail: string,
  findings: readonly Finding[],
): Promise<'refused'> {
  const chain = chainName(ctx.space)
  alarm('evidence.checkpoint_refused', new Error(detail), { chain, findings: findings.length })
  const at = ctx.now()
  const id = ctx.id('vio')
  const broken = { at: iso(at), detail, findings: findings.slice(0, FINDINGS_MAX) }
  const condition = { expression: 'attribute_not_exists(#broken)', names: { '#broken': 'broken' } }
  try {
    await ctx.table.commit([
      verifyStates.update(verifyStateKey(ctx.space), { set: { broken, _type: verifyStates.name }, condition }),
      outbox.insert({
        ...outboxKey(ctx.space, id.slice('vio_'.length)),
        events: packEvents([violationEvent(id, findings)], [VIOLATION]),
        at,
      }),
    ])
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error // the tenant was already notified
  }
  return 'refused'
}
