// Reports a chain that is found broken when it should be signed: nothing is signed, the findings are stored, and the tenant
// is notified once.
import { place, SEVERITIES } from '../../../base/catalog/measure-words.ts'
import type { Measure } from '../../../base/catalog/measures.ts'
import type { Context } from '../../../base/context.ts'
import type { Event } from '../../events/event.ts'
import { packEvents } from '../../events/outbox.ts'
import { iso } from '../../../base/lib/clock.ts'
import { alarm } from '../../../base/lib/log.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import type { Finding } from '../chain/chain.ts'
import { chainName } from '../artifact/hashes.ts'
import { outbox, outboxKey } from '../../events/outbox-item.ts'
import { verifyStateKey, verifyStates } from '../verify/verify-state.ts'

const FINDINGS_MAX = 100
const NAMED_MAX = 20

/** The check that a broken chain fails (compliance: EVD-01). */
const CHECK_ID = 'EVD-01'

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

type Named = Pick<Finding, 'artifact_id'>

/** An event of the service without an artifact, because the chain that would hold it is broken. */
export const violationEvent = (id: string, findings: readonly Named[]): Event => ({
  type: 'compliance.violation.detected',
  subject: { id, version: 1 },
  data: { ...violation(id, findings), actor: { type: 'system', id: 'system' }, evidence_artifact_id: null },
})

/** What the commit of such an event states. */
export const VIOLATION: Measure = ['i', place(SEVERITIES, 'critical')]

/** The members of the event, without frameworks and controls. */
export const violation = (violation_id: string, findings: readonly Named[]) => ({
  violation_id,
  check_id: CHECK_ID,
  severity: 'critical' as const,
  framework_ids: [],
  control_ids: [],
  failing_ids: findings.flatMap(({ artifact_id }) => artifact_id ?? []).slice(0, NAMED_MAX),
  task_id: null,
})
