import type { Space } from '../../base/context.ts'
import { activeGovernance } from '../governance/active.ts'
import { loadAction } from '../manifests/load.ts'
import type { Table } from '../../base/table/table.ts'

type Named = { body: { node_id: string; action_id: string } }

/** The reads of a decision, in one round trip: policies and settings, and the action's latest manifest. */
export async function loadInputs(table: Table, space: Space, { body: { node_id, action_id } }: Named) {
  const [governance, action] = await Promise.all([
    activeGovernance(table, space),
    loadAction(table, space, node_id, action_id),
  ])
  return { governance, action }
}

export type Inputs = Awaited<ReturnType<typeof loadInputs>>
