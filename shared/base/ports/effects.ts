// Operations that a lower layer calls and a higher layer implements. A function of the higher layer, where both are known, passes the
// implementation.
import type { Context } from '../context.ts'
import type { Json } from '../lib/json.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import type { Transition } from '../../ledger/evidence/artifact/record.ts'
import type { Write } from '../table/entity.ts'

/** Ids of the nodes that incidents detected since then (ms) name. Learning knows no incidents. */
export type AffectedNodes = (ctx: Context, since: number) => Promise<string[]>

/**
 * Called with the ids of executions whose payloads are erased, before the erasure is completed. Safe to repeat. Implemented by layers that
 * copy payloads, so that the erasure knows none of them.
 */
export type OnErased = (ctx: Context, executionIds: readonly string[]) => Promise<void>

/** A connection of a tenant to one of its tools, as running an action needs it. */
export type OpenConnection = {
  /** Every call is at this origin and below this path. */
  base_url: string
  /** Headers that carry the credential, and others that the provider wants with each call. Names in lower case. */
  headers: Readonly<Record<string, string>>
  /** Whether the answer is an error that the provider reports with a status of success. */
  isError: (answer: Json) => boolean
  /** The headers with a renewed credential; undefined where there is none to be had. */
  renewed: () => Promise<Readonly<Record<string, string>> | undefined>
  /** The provider does not take the credential, even renewed: people must connect again. */
  refused: () => Promise<void>
}

/** Undefined when the tenant has no active connection of that connector. */
export type OpenConnections = (ctx: Context, connector_id: string) => Promise<OpenConnection | undefined>

/** Work that takes too long, and how much of its time is used up (percent). Its SLA raises an alert with the step `alert`. */
export type Late = { labels: { task_id: string } | { approval_id: string }; title: string; percent: number }

/** Parts of the commit that notes the step, and what is left to do after it. */
export type Raised = { writes: Write[]; transitions: Transition[]; mails: Mail[]; finish: () => Promise<void> }

/** Called again whenever another process was faster than the commit. */
export type RaiseLate = (ctx: Context, late: Late) => Promise<Raised>
