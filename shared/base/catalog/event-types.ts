// The closed list of event types. Plain data without schemas, so naming a type adds nothing to a bundle. The shape of each
// type's `data` is in `shared/ledger/events/payloads/`.

/** Version of all event shapes, sent in every envelope. It changes only with a breaking change of a shape. */
export const API_VERSION = '2026-11-20'

const type = <const C extends string>(category: C, description: string) => ({ category, description, extension: false })

/** A type that the API specification does not list. Subscriptions select it by `*` or by name like any other. */
const extra = <const C extends string>(category: C, description: string) => ({ category, description, extension: true })

export const CATALOG = {
  'action.requested': type('governance', 'An action was submitted for governance evaluation.'),
  'action.approved': type('governance', 'An action was approved, automatically or by a person.'),
  'action.rejected': type('governance', 'An action was rejected by a reviewer or a policy, expired or was cancelled.'),
  'action.auto_executed': type('governance', 'An AUTO action was executed without review.'),
  'policy.updated': type('governance', 'A policy was created or modified.'),
  'policy.violated': type('governance', 'An action triggered a policy violation.'),
  'agent.created': type('agent', 'An agent was registered.'),
  'agent.executed': type('agent', 'An agent began a task.'),
  'agent.failed': type('agent', 'An execution of an agent ended in error.'),
  'agent.completed': type('agent', 'An execution of an agent finished successfully.'),
  'agent.action.triggered': type('agent', 'An agent triggered an action on its own.'),
  'evidence.emitted': type('evidence', 'An evidence artifact was recorded.'),
  'evidence.chain.verified': type('evidence', 'The integrity of the evidence chain was verified.'),
  'artifact.created': type('evidence', 'A governance artifact (report, export, decision log) was created.'),
  'artifact.shared': type('evidence', 'A governance artifact was handed out.'),
  'compliance.check.completed': type('compliance', 'A compliance check finished.'),
  'compliance.framework.updated': type('compliance', 'The configuration of a compliance framework changed.'),
  'compliance.violation.detected': type('compliance', 'A compliance violation was identified.'),
  'user.created': type('user', 'An account was created.'),
  'user.updated': type('user', 'A profile or role was modified.'),
  'user.deprovisioned': type('user', 'A user was deactivated or removed through SCIM.'),
  'user.login': type('user', 'A user signed in.'),
  'user.mfa.enabled': type('user', 'A second factor was enabled for a user.'),
  'integration.connected': type('integration', 'An integration was connected through OAuth.'),
  'integration.disconnected': type('integration', 'An integration was disconnected or revoked.'),
  'integration.sync.completed': type('integration', 'A data sync finished.'),
  'subscription.created': type('billing', 'A subscription was created.'),
  'subscription.updated': type('billing', 'The plan, quantity or state of a subscription changed.'),
  'subscription.canceled': type('billing', 'A subscription was canceled.'),
  'invoice.paid': type('billing', 'The payment of an invoice was processed.'),
  'usage.threshold.reached': type('billing', 'Usage reached a configured threshold.'),
  'protocol.executed': type('protocol', 'A protocol action was executed.'),
  'protocol.approval.requested': type('protocol', 'A held action asks for approval.'),

  'policy.frozen': extra('governance', 'A freeze was set: what it names does not run until it is lifted.'),
  'policy.unfrozen': extra('governance', 'A freeze was lifted.'),
  'execution.undone': extra('protocol', 'An executed action was undone within its undo window.'),
  'webhook.endpoint.error': extra('webhook', 'A webhook endpoint failed repeatedly.'),
  'webhook.endpoint.recovered': extra('webhook', 'A webhook endpoint in error answers again.'),
  'webhook.endpoint.disabled': extra('webhook', 'A webhook endpoint was disabled.'),
  'api_key.expiring': extra('security', 'An API key expires within 24 hours.'),
  'credential.transferred': extra(
    'security',
    'A credential of the tenant outlives whoever made it or has seen its secret.',
  ),
  'user.credentials_revoked': extra('user', 'Credentials that act in the name of a person were revoked.'),
  'alert.firing': extra('operations', 'An alert fires.'),
  'alert.acked': extra('operations', 'An alert was acknowledged.'),
  'alert.resolved': extra('operations', 'An alert was resolved.'),
} as const

export type EventType = keyof typeof CATALOG
export type EventCategory = (typeof CATALOG)[EventType]['category']

/** Other spellings that subscriptions accept, because the API specification uses both. */
export const EVENT_TYPE_ALIASES: Readonly<Record<string, EventType>> = {
  'subscription.cancelled': 'subscription.canceled',
}

export const isEventType = (name: string): name is EventType => Object.hasOwn(CATALOG, name)

export const EVENT_TYPES: readonly EventType[] = Object.keys(CATALOG).filter(isEventType)
