// The connections of a tenant to its tools, as running an action needs them. The layer that knows them fills this where
// functions are made, so that executions know none of it.
import type { Context } from '../context.ts'
import type { Json } from '../lib/json.ts'

export type OpenConnection = {
  /** Every call is at this origin and below this path. */
  base_url: string
  /** What carries the credential, and what the provider wants with each call. Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Whether the provider tells an error with a status of success. */
  isError: (answer: Json) => boolean
  /** The headers with a renewed credential; undefined where there is none to be had. */
  renewed: () => Promise<Readonly<Record<string, string>> | undefined>
  /** The provider does not take the credential, even renewed: people must connect again. */
  refused: () => Promise<void>
}

/** Undefined when the tenant has no active connection of that connector. */
export type OpenConnections = (ctx: Context, connector_id: string) => Promise<OpenConnection | undefined>
