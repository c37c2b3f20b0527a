// How connections are opened: registered by every function that moves executions, like the effects of the service's own actions.
import type { OpenConnections } from '../../base/ports/effects.ts'

let registered: OpenConnections = async () => undefined

/** Returns the function that was registered before. */
export function registerConnections(open: OpenConnections): OpenConnections {
  const before = registered
  registered = open
  return before
}

export const openConnection: OpenConnections = (ctx, connector_id) => registered(ctx, connector_id)
