import type { ConnectionTarget } from '../../../govern/manifests/connection-target.ts'
import type { Endpoint } from '../../../govern/manifests/manifest.ts'

/** An action of a published node. */
export type PublishedEndpoint = Pick<
  Endpoint,
  'action_id' | 'description' | 'idempotency' | 'kind' | 'min_tier' | 'approval_required'
> & { input_schema: Record<string, unknown>; target: ConnectionTarget }
