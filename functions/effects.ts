// What the actions of the service's own nodes change. Every function that moves executions imports this; each effect is loaded
// with the first action that needs it.
import { registerConnections } from '../shared/govern/executions/connections.ts'
import { registerEffects } from '../shared/govern/executions/built-in-effects.ts'
import {
  MODELS_NODE_ID,
  POLICIES_NODE_ID,
  REGISTRY_NODE_ID,
  ROUTING_NODE_ID,
} from '../shared/govern/manifests/platform-nodes.ts'

/** The connections of a tenant to its tools. */
registerConnections(async (ctx, id) =>
  (await import('../shared/deliver/integrations/open-connection.ts')).openConnection(ctx, id),
)

registerEffects({
  [`${MODELS_NODE_ID}/deploy`]: async () => (await import('../shared/learn/models/deploy-effect.ts')).deployEffect,
  [`${MODELS_NODE_ID}/restore_previous`]: async () =>
    (await import('../shared/learn/models/deploy-effect.ts')).restorePreviousEffect,
  [`${MODELS_NODE_ID}/restore_next`]: async () =>
    (await import('../shared/learn/models/deploy-effect.ts')).restoreNextEffect,
  [`${ROUTING_NODE_ID}/apply_update`]: async () =>
    (await import('../shared/learn/routing/update-effect.ts')).updateEffect,
  [`${POLICIES_NODE_ID}/loosen`]: async () => (await import('../shared/govern/tenants/loosen-effect.ts')).loosenEffect,
  [`${REGISTRY_NODE_ID}/loosen`]: async () =>
    (await import('../shared/govern/protocol/activate-version.ts')).activateEffect,
})
