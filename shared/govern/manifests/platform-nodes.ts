// The nodes `platform.*`, whose actions the service carries out itself: what they change is written in the transaction of their
// execution. No tenant registers such a node.
import { CUSTOM_NAME } from '../../base/catalog/measure-words.ts'
import type { Endpoint, Node } from './manifest.ts'

export const CUSTOM_NODE_ID = 'platform.metrics.custom'
export const MODELS_NODE_ID = 'platform.models.registry'
export const ROUTING_NODE_ID = 'platform.routing.rules'
export const POLICIES_NODE_ID = 'platform.governance.policies'
export const REGISTRY_NODE_ID = 'platform.manifests.registry'

/** Whether the service carries out the actions of the node. */
export const isOwn = (nodeId: string): boolean => nodeId.startsWith('platform.')

/** The endpoint that requests the actions of a node, where nobody requests them by themselves. */
export const REQUESTED_AT: Readonly<Record<string, string>> = {
  [MODELS_NODE_ID]: '/api/v1/ai-training/models/{model_id}',
  [ROUTING_NODE_ID]: '/api/v1/learning/routing-updates',
  [POLICIES_NODE_ID]: '/api/v1/security/tenants/{tenant_id}/policies',
  [REGISTRY_NODE_ID]: '/api/v1/protocol/manifest',
}

const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

const push: Endpoint = {
  action_id: 'push',
  description: 'Count events of your own: of `total`, `good` were good.',
  approval_required: false,
  idempotency: false,
  kind: 'monitor',
  input_schema: {
    type: 'object',
    required: ['metrics'],
    additionalProperties: false,
    properties: {
      metrics: {
        type: 'array',
        minItems: 1,
        maxItems: 20,
        items: {
          type: 'object',
          required: ['name', 'good', 'total'],
          additionalProperties: false,
          properties: { name: { type: 'string', pattern: CUSTOM_NAME.source }, good: count, total: count },
        },
      },
    },
  },
}

/** What a tenant counts itself goes through governance like everything that an agent does. */
const customMetrics: Node = {
  id: CUSTOM_NODE_ID,
  name: 'Custom metrics',
  version: '1.0.0',
  owner: 'countersign',
  category: 'metrics',
  endpoints: [push],
}

const text = (maxLength: number) => ({ type: 'string', maxLength })

const deploy: Endpoint = {
  action_id: 'deploy',
  description: 'Deploy a model version into its slot, where it may raise the tier of actions.',
  approval_required: true,
  idempotency: false,
  kind: 'deploy',
  input_schema: {
    type: 'object',
    required: ['model_id', 'slot', 'model_version', 'artifact_sha256', 'quality_gate'],
    additionalProperties: false,
    properties: {
      model_id: text(64),
      slot: text(64),
      model_version: { type: 'integer' },
      artifact_sha256: text(64),
      quality_gate: text(16),
      override_reason: text(2_000),
      replaces: text(64),
    },
  },
}

const restorePrevious: Endpoint = {
  action_id: 'restore_previous',
  description: 'Restore the model that a slot had before.',
  approval_required: false,
  idempotency: false,
  kind: 'update',
  undo_action_id: 'restore_next',
  input_schema: {
    type: 'object',
    required: ['slot', 'model_id', 'to_model_id', 'reason'],
    additionalProperties: false,
    properties: { slot: text(64), model_id: text(64), to_model_id: text(64), reason: text(2_000) },
  },
}

const restoreNext: Endpoint = {
  action_id: 'restore_next',
  description: 'Restore the model that was replaced by restoring a previous one.',
  approval_required: false,
  idempotency: false,
  kind: 'update',
}

/** The models that judge actions. */
const models: Node = {
  id: MODELS_NODE_ID,
  name: 'Model registry',
  version: '1.0.0',
  owner: 'countersign',
  category: 'models',
  endpoints: [deploy, restorePrevious, restoreNext],
}

const applyUpdate: Endpoint = {
  action_id: 'apply_update',
  description: 'Allow a change of how actions are routed.',
  approval_required: true,
  idempotency: false,
}

/** What was learnt about single actions. */
const routing: Node = {
  id: ROUTING_NODE_ID,
  name: 'Routing rules',
  version: '1.0.0',
  owner: 'countersign',
  category: 'routing',
  endpoints: [applyUpdate],
}

const loosen: Endpoint = {
  action_id: 'loosen',
  description: 'Change policies or settings so that less is held, or other people decide.',
  approval_required: true,
  idempotency: false,
  kind: 'permission',
  input_schema: {
    type: 'object',
    required: ['change', 'loosens', 'asked'],
    additionalProperties: false,
    properties: {
      change: text(64),
      name: text(200),
      version: { type: 'integer' },
      based_on: text(64),
      loosens: { type: 'array', items: text(200) },
      changes: { type: 'array', items: { type: 'object' } },
      asked: { type: 'object' },
    },
  },
}

/** What decides about actions. */
const policies: Node = {
  id: POLICIES_NODE_ID,
  name: 'Policies and settings',
  version: '1.0.0',
  owner: 'countersign',
  category: 'governance',
  endpoints: [loosen],
}

const loosenVersion: Endpoint = {
  action_id: 'loosen',
  description:
    'Put a version of a node into force that asks less of an action than the one before, or sends it elsewhere.',
  approval_required: true,
  idempotency: false,
  kind: 'permission',
  input_schema: {
    type: 'object',
    required: ['node_id', 'version', 'manifest_sha256', 'replaces', 'loosens'],
    additionalProperties: false,
    properties: {
      node_id: text(200),
      version: text(100),
      manifest_sha256: text(64),
      replaces: text(100),
      loosens: { type: 'array', items: text(300) },
    },
  },
}

/** Which version of a node is in force. */
const registry: Node = {
  id: REGISTRY_NODE_ID,
  name: 'Node registry',
  version: '1.0.0',
  owner: 'countersign',
  category: 'governance',
  endpoints: [loosenVersion],
}

/**
 * Whether the action changes policies, settings or the version of a node in force. A person who did not request it decides on it, even
 * if the settings that it may change would allow another decision.
 */
export const changesGovernance = ({ node_id }: { node_id: string }): boolean =>
  node_id === POLICIES_NODE_ID || node_id === REGISTRY_NODE_ID

export const PLATFORM_NODES: readonly Node[] = [customMetrics, models, routing, policies, registry]
