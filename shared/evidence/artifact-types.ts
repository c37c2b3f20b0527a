// The closed list of artifact types: routes name them, `latest` filters by them, nothing else can be recorded.

export const ARTIFACT_TYPES = [
  // executions
  'action.requested',
  'action.rejected',
  'execution.started',
  'execution.outcome_reported',
  'execution.undo_started',
  'execution.undone',
  'protocol.executed',
  // approvals
  'approval.approved',
  'approval.cancelled',
  'approval.escalated',
  'approval.expired',
  'approval.extended',
  'approval.rejected',
  'approval.voted',
  // administration
  'identity.api_key.created',
  'identity.api_key.revoked',
  'identity.tenant.created',
  'identity.user.created',
  'manifest.registered',
  'policy.updated',
  'settings.updated',
  'webhook.endpoint.created',
  'webhook.endpoint.deleted',
  'webhook.endpoint.status_changed',
  'webhook.endpoint.updated',
  'webhook.replayed',
  'webhook.tested',
  // compliance
  'compliance.evidence.announced',
  'compliance.evidence.submitted',
  // the chain itself
  'evidence.chain.verified',
  'evidence.exported',
  'evidence.payload.erased',
  'evidence.payload.opened',
] as const

export type ArtifactType = (typeof ARTIFACT_TYPES)[number]
