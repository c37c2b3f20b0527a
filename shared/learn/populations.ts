// Changes of deployed models and applied routing updates as populations, from which an auditor draws samples.
import type { Population, Row } from '../assure/populations/population.ts'
import { allSlots } from './models/model.ts'
import { pagesOf } from '../base/wire/page-of.ts'
import { key } from '../base/table/entity.ts'
import { firstId } from '../base/lib/ids.ts'
import { WAITS_MS } from './compliance-facts.ts'
import { learningPartition, type RoutingUpdate, routingUpdates } from './routing/update.ts'

/** A slot remembers its last changes, so their number says nothing about completeness. */
const modelChanges: Population = {
  name: 'model_changes',
  columns: ['id', 'at', 'slot', 'model_id', 'from', 'to', 'by', 'approval_id', 'execution_id'],
  source: 'the last 50 changes of each slot of models',
  filter: 'made in the window, by slot',
  rows: async function* ({ table, space }, { start_at, end_at }) {
    for (const { slot, history } of await allSlots(table, space))
      yield history
        .filter(({ at }) => at >= start_at && at < end_at)
        .map(({ reason: _, ...turn }) => ({ id: `${turn.model_id}@${turn.at}`, slot, ...turn }))
  },
}

const appliedUpdates: Population = {
  name: 'routing_updates',
  columns: [
    'id',
    'applied_at',
    'type',
    'node_id',
    'action_id',
    'before',
    'after',
    'loosens',
    'source',
    'proposed_by',
    'approval_id',
    'approved_by',
    'applied_by',
    'rule_version',
    'valid_until',
    'status',
  ],
  source: 'updates of routing rules',
  filter: 'applied in the window, in the order of their proposals',
  rows: async function* (ctx, { start_at, end_at }) {
    const pages = pagesOf(ctx, {
      of: routingUpdates,
      descending: false,
      from: key('RTU', firstId('rtu', Math.max(0, Date.parse(start_at) - WAITS_MS))),
      to: key('RTU', firstId('rtu', Date.parse(end_at))),
      groups: [{ name: 'all', partitions: [learningPartition(ctx.space)] }],
      filter: ({ applied_at = '' }) => applied_at >= start_at && applied_at < end_at,
    })
    for await (const page of pages) yield page.map(updateRow)
  },
  chain: {
    ofRow: ({ id, applied_at }) => ({ id, at: String(applied_at) }),
    ofArtifact: ({ type, subject, data }) =>
      type === 'routing.update.changed' && data?.['to'] === 'applied' ? subject?.id : undefined,
  },
}

const updateRow = (update: RoutingUpdate): Row => ({
  id: update.id,
  applied_at: update.applied_at,
  type: update.type,
  node_id: update.node_id,
  action_id: update.action_id,
  before: update.from,
  after: update.to,
  loosens: update.loosens,
  source: update.source,
  proposed_by: update.proposed_by.id,
  approval_id: update.approval_id,
  approved_by: update.approved_by?.id,
  applied_by: update.applied_by?.id,
  rule_version: update.rule_version,
  valid_until: update.valid_until,
  status: update.status,
})

export const learnPopulations: readonly Population[] = [appliedUpdates, modelChanges]
