// Registered by every function that moves executions, like the effects of the service's own actions.
import type { OpenConnections } from '../../base/ports/open-connections.ts'

let registered: OpenConnections = async () => undefined

export const registerConnections = (open: OpenConnections): void => void (registered = open)

export const openConnection: OpenConnections = (ctx, connector_id) => registered(ctx, connector_id)
