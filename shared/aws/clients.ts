// The one factory of SDK clients. Every call has a deadline: SDK defaults wait for ever on a dead connection.
// Each client is built in its own file beside this one, so that a bundle holds only the clients its function uses.

/** What the factory needs to know of an SDK client: enough to add middleware to it. */
export type AnyClient = { middlewareStack: { use(plugin: object): void }; destroy(): void }

/** Called with each new client; a harness adds counters, faults or a virtual network here. */
export type ClientPlugin = (client: AnyClient, service: string) => void

export const CLIENT_CONFIG = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 300, requestTimeout: 1_000, throwOnRequestTimeout: true },
}

const made = new Map<string, AnyClient>()
let plugins: ClientPlugin[] = []

/** One client per service and container, made on first use. */
export function sharedClient<C extends AnyClient>(service: string, make: () => C): C {
  const known = made.get(service)
  if (known) return known as C // the map's key fixes the type: one file per service calls this
  const client = make()
  for (const plugin of plugins) plugin(client, service)
  made.set(service, client)
  return client
}

/** Forgets all clients and adds the given plugins to those made from now on. For harnesses only. */
export function resetClients(next: ClientPlugin[] = []): void {
  for (const client of made.values()) client.destroy()
  made.clear()
  plugins = next
}
