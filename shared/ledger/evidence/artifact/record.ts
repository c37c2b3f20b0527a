// The writes that a verb adds to its transaction, so that state, artifacts and events exist together or not at all.
import type { Measure } from '../../../base/catalog/measures.ts'
import type { Context } from '../../../base/context.ts'
import type { Event, EventDraft } from '../../events/event.ts'
import { stamped } from '../../events/event.ts'
import { outbox, outboxKey, packEvents } from '../../events/outbox.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Logout, Mail } from '../../events/mail.ts'
import type { Write } from '../../../base/table/entity.ts'
import { type Artifact, artifactKey, artifacts, pointerKey, pointers, shardOf, ulidOf } from './artifact.ts'
import { attestation } from './attest.ts'

/** An artifact and the events of the same transition, which get its id and hash. */
export type Transition = { artifact: Artifact; events?: readonly EventDraft[] }

export type RecordOptions = {
  /** Figures that the commit states for everything that is counted. */
  measures?: readonly Measure[]
  /** Sent after the commit. */
  mails?: readonly Mail[]
  /** OAuth clients that are told after the commit. */
  logouts?: readonly Logout[]
}

/**
 * The writes for `ctx.table.commit`: artifact and pending pointer of each transition, and one outbox item for all events,
 * which begins with the `evidence.emitted` of every artifact. Pass them to one commit only.
 */
export function recorded(
  ctx: Context,
  transitions: readonly [Transition, ...Transition[]],
  { measures, mails = [], logouts = [] }: RecordOptions = {},
): Write[] {
  const [{ artifact: first }] = transitions
  const events = [
    ...transitions.map(({ artifact }) => emitted(ctx, artifact)),
    ...transitions.flatMap(({ artifact, events: drafts = [] }) => drafts.map((draft) => stamp(ctx, draft, artifact))),
  ]
  return [
    ...transitions.flatMap(({ artifact }) => artifactWrites(ctx, artifact)),
    outbox.insert({
      ...outboxKey(ctx.space, ulidOf(first.artifact_id)),
      events: packEvents(events, measures),
      at: first.at,
      ...(mails.length > 0 && { mails: [...mails] }),
      ...(logouts.length > 0 && { logouts: [...logouts] }),
    }),
  ]
}

function artifactWrites({ space }: Context, { artifact_id, type, header, ah, at }: Artifact): Write[] {
  const announced = { artifact_id, shard: shardOf(artifact_id), ah, at: iso(at), type }
  const pointer = { ...pointerKey(space, artifact_id), s: announced.shard, ah, at: announced.at, artifact_type: type }
  return [
    { ...artifacts.insert({ ...artifactKey(space, artifact_id), header, ah }), artifact: type },
    { ...pointers.insert(pointer), members: async () => ({ mac: await attestation(space, announced) }) },
  ]
}

function emitted(ctx: Context, artifact: Artifact): Event {
  const { artifact_id, type, hash, subject } = artifact
  const data = { artifact_id, artifact_type: type, hash, subject }
  return stamp(ctx, { type: 'evidence.emitted', subject: { id: artifact_id, version: 1 }, data }, artifact)
}

const stamp = ({ principal }: Context, draft: EventDraft, { artifact_id, hash }: Artifact): Event =>
  stamped(draft, { type: principal.kind, id: principal.id }, { id: artifact_id, hash })
