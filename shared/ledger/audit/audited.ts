// Which artifacts have an entry in the audit log, so that the counts of both can be compared.
import type { ArtifactType } from '../../base/catalog/artifact-types.ts'

const OTHERS = [
  'alert_rule.created',
  'alert_rule.deleted',
  'alert_rule.updated',
  'approval.grant.created',
  'approval.grant.revoked',
  'billing.checkout.started',
  'billing.portal.opened',
  'compliance.control.updated',
  'compliance.evidence.accepted',
  'compliance.framework.updated',
  'delegation.created',
  'delegation.ended',
  'evidence.retention.changed',
  'integration.connection.connected',
  'integration.connection.disconnected',
  'integration.connection.error',
  'integration.connection.started',
  'integration.connector.created',
  'integration.connector.deleted',
  'integration.connector.updated',
  'integration.sync.queued',
  'manifest.registered',
  'manifest.tool_name.changed',
  'metrics.targets.updated',
  'policy.calendar.updated',
  'policy.freeze.lifted',
  'policy.freeze.set',
  'policy.lexicon.updated',
  'policy.updated',
  'runbook.created',
  'slo.created',
  'slo.deleted',
  'slo.updated',
  'training.persona.updated',
  'webhook.endpoint.created',
  'webhook.endpoint.deleted',
  'webhook.endpoint.updated',
  'worker.created',
] as const satisfies readonly ArtifactType[]

/** Recorded by `changed` and by nothing else. */
export type AuditedType = Extract<ArtifactType, `identity.${string}`> | (typeof OTHERS)[number]

/** Recorded by `changed`, and by other verbs without an entry: nobody can count these. */
export type SometimesAudited = Extract<
  ArtifactType,
  'compliance.evidence.rejected' | 'routing.update.changed' | 'worker.updated'
>

const others: ReadonlySet<string> = new Set(OTHERS)

export const isAudited = (type: string): boolean => type.startsWith('identity.') || others.has(type)
