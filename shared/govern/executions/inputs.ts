// What the decision on a request is made by.
import type { Space } from '../../base/context.ts'
import { activeGovernance } from '../governance/governance.ts'
import { actorsAsked, type Caller, readLearned } from '../learned/learned-for.ts'
import { readAhead } from './recent-actions.ts'
import { loadAction } from '../manifests/load.ts'
import type { Table } from '../../base/table/table.ts'

type Named = {
  body: { node_id: string; action_id: string; policy_context?: Stated | undefined }
  /** The caller, as far as it is known before the credential was checked; absent where it is not known yet. */
  caller?: Caller | undefined
}
type Stated = { persona_key?: string | undefined; agent_id?: string | undefined }

/** The reads of a decision, in one round trip: policies and settings, the action's latest manifest, what was learnt, and marks. */
export async function loadInputs(table: Table, space: Space, { body, caller }: Named) {
  const { node_id, action_id, policy_context: stated } = body
  const { persona_key } = stated ?? {}
  const actors = actorsAsked(caller, stated?.agent_id)
  const [governance, action, learned, states] = await Promise.all([
    activeGovernance(table, space),
    loadAction(table, space, node_id, action_id),
    readLearned(table, space, { node_id, action_id, persona_key, actors }),
    readAhead(table, space, caller),
  ])
  return { governance, action, learned, states }
}

export type Inputs = Awaited<ReturnType<typeof loadInputs>>
