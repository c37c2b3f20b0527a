import type { Population } from '../../assure/populations/population.ts'
import { allSlots } from './model.ts'

/** A slot remembers its last changes, so their number says nothing about completeness. */
export const modelChanges: Population = {
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
