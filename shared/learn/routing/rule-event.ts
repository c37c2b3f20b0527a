import type { EventDraft } from '../../ledger/events/event.ts'
import type { RoutingUpdate } from './update.ts'

/** Tells that the rule of an action has changed. */
export const ruleEvent = ({ id, node_id, action_id }: RoutingUpdate, version: number): EventDraft => ({
  type: 'policy.updated',
  subject: { id: `${node_id}/${action_id}`, version },
  data: {
    policy_id: null,
    name: `Routing of ${node_id}/${action_id}`,
    change: 'routing',
    policy_version: version,
    previous_version: version > 1 ? version - 1 : null,
    node_id: node_id ?? null,
    action_id: action_id ?? null,
    update_id: id,
  },
})

/** Tells that another model is about to take its slot. */
export const slotEvent = ({ id, slot = '' }: RoutingUpdate, version: number): EventDraft => ({
  type: 'policy.updated',
  subject: { id: slot, version },
  data: {
    policy_id: null,
    name: `Model of ${slot}`,
    change: 'routing',
    policy_version: version,
    previous_version: null,
    node_id: null,
    action_id: null,
    update_id: id,
  },
})
