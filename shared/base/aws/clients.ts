// The one factory of SDK clients. Every call has a deadline, since by default the SDK waits for ever on a dead connection.
// Each client is built in its own file beside this one, so that a bundle holds only the clients its function uses.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'

/** The part of an SDK client that the factory uses. */
export type AnyClient = { middlewareStack: { use(plugin: object): void }; destroy(): void }

/** Called with each new client. Tests add counters, faults or a virtual network here. */
export type ClientPlugin = (client: AnyClient, service: string) => void

/** Without `info`: the SDK would format every input and output for it, which costs a twelfth of a call's CPU. */
const SILENT = { trace: drop, debug: drop, warn: drop, error: drop } as unknown as NonNullable<
  DynamoDBClientConfig['logger']
>

/** Locally the stand-ins share one process that may be short of CPU, so their deadlines are longer. */
export const timeoutFactor = () => Number(process.env.SDK_TIMEOUT_FACTOR ?? 1)

/** `requestMs`: how long one try of a call may take. */
export const clientConfig = (requestMs = 1_000) => ({
  maxAttempts: 2,
  logger: SILENT,
  requestHandler: {
    connectionTimeout: 300 * timeoutFactor(),
    requestTimeout: requestMs * timeoutFactor(),
    throwOnRequestTimeout: true,
  },
})

function drop(): void {}

const clients = new Map<string, AnyClient>()
let plugins: ClientPlugin[] = []

/** One client per service and container, created on first use. */
export function sharedClient<C extends AnyClient>(service: string, make: () => C): C {
  const known = clients.get(service)
  if (known) return known as C // the map's key fixes the type: one file per service calls this
  const client = make()
  for (const plugin of plugins) plugin(client, service)
  clients.set(service, client)
  return client
}

/** Destroys all clients. Clients created from now on get the given plugins. For tests only. */
export function resetClients(next: ClientPlugin[] = []): void {
  for (const client of clients.values()) client.destroy()
  clients.clear()
  plugins = next
}

export const dynamodb = (): DynamoDBClient => sharedClient('dynamodb', () => new DynamoDBClient(clientConfig()))
