// An event is a fact about one tenant and mode. Its id is derived from its subject, so a worker that runs twice cannot
// create two events.
import type { Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { sha256 } from '../../base/lib/json.ts'
import { base32 } from '../../base/lib/ids.ts'
import type { EventType } from '../../base/catalog/event-types.ts'
import type { EventData } from './schemas.ts'

/** The resource of an event. If the event can occur twice at one version, the id names the occurrence. */
export type EventSubject = { id: string; version: number }

export type Actor = EventData<'action.requested'>['actor']

/** Members filled in from the artifact that is committed with the event, never by the verb. */
type Stamped = 'actor' | 'evidence_artifact_id' | 'evidence_hash'

/** An event as it is committed. */
export type Event = { [T in EventType]: { type: T; subject: EventSubject; data: EventData<T> } }[EventType]

/** An event as a verb states it. */
export type EventDraft = {
  [T in EventType]: { type: T; subject: EventSubject; data: Omit<EventData<T>, Stamped> }
}[EventType]

/** An event as it is logged and published; on the wire it also carries a `signature`. */
export type Envelope = {
  id: string
  type: EventType
  timestamp: string
  tenant_id: string
  version: string
  data: Event['data']
  /** On `protocol.executed` only, which is published in two shapes: one body satisfies both. */
  event?: 'protocol.executed'
}

/** A larger envelope is an internal error: its commit fails, and it is never cut. */
export const ENVELOPE_BYTES_MAX = 20_000

/** `evt_` and the base32 of the first 16 bytes of SHA-256 over tenant, mode, subject, type and the subject's version. */
export function eventId(space: Space, event: { type: EventType; subject: EventSubject }): string {
  const { id, version } = event.subject
  const name = `${space.tenant_id}#${space.mode}\n${id}\n${event.type}\n${version}`
  return `evt_${digest(name)}`
}

/** 26 characters derived from a name. */
export const digest = (name: string): string => base32(sha256(name).subarray(0, 16))

/** Adds the actor and the artifact. The two payloads of the API specification name the artifact differently. */
export function stamped(draft: EventDraft, actor: Actor, artifact: { id: string; hash: string }): Event {
  const stamp = () => {
    if (draft.type === 'protocol.executed') return { evidence_hash: artifact.hash }
    if (draft.type === 'action.approved') return { evidence_artifact_id: artifact.id }
    return { actor, evidence_artifact_id: artifact.id }
  }
  // A draft lacks exactly the members of the stamp, which the compiler cannot follow through unions.
  return { ...draft, data: { ...draft.data, ...stamp() } } as Event
}

/** `at` is the instant of the commit (ms), `version` the API_VERSION under which it was made. */
export function envelope(space: Space, version: string, at: number, event: Event): Envelope {
  return {
    id: eventId(space, event),
    type: event.type,
    timestamp: iso(at),
    tenant_id: space.tenant_id,
    version,
    data: event.data,
    ...(event.type === 'protocol.executed' && { event: event.type }),
  }
}
