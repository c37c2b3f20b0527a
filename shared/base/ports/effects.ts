// Which nodes incidents were about. Learning knows no incidents; the layer that has them fills this where functions are made.
import type { Context } from '../context.ts'
import type { Json } from '../lib/json.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import type { Write } from '../table/entity.ts'

/** Ids of the nodes that incidents detected since then (ms) name. */
export type AffectedNodes = (ctx: Context, since: number) => Promise<string[]>

// What else an erasure has to reach. Layers that copy payloads fill this where functions are made, so that erasing knows none of them.

/** Called with the ids of executions whose payloads are erased, before the erasure is completed. Safe to repeat. */
export type OnErased = (ctx: Context, executionIds: readonly string[]) => Promise<void>

// The connections of a tenant to its tools, as running an action needs them. The layer that knows them fills this where
// functions are made, so that executions know none of it.

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

// The alert that an SLA raises with its step `alert`. Work knows no alerts; the layer above fills this where functions are made.

/** Work that takes too long: what it is about, and how much of its time is used up (percent). */
export type Late = { labels: { task_id: string } | { approval_id: string }; title: string; percent: number }

/** Parts of the commit that notes the step, and what is left to do after it. */
export type Raised = { writes: Write[]; transitions: Transition[]; mails: Mail[]; finish: () => Promise<void> }

/** Called anew whenever the commit is overtaken. */
export type RaiseLate = (ctx: Context, late: Late) => Promise<Raised>
