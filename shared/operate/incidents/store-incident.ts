// Commits an incident with its timeline, its evidence and the tasks that go with it.
import type { Measure } from '../../base/catalog/measures.ts'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { lifecycle } from '../../ledger/evidence/artifact/lifecycle.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import type { TaskParts } from '../../govern/tasks/store-task.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import { commitWith, type Transition } from '../../ledger/evidence/artifact/record.ts'
import { type Entry, type Incident, INCIDENT_STATES, incidents, timeline } from './incident.ts'

export const entry = (ctx: Context, type: Entry['type'], more: Partial<Entry> = {}): Entry => ({
  at: iso(ctx.now()),
  actor: { type: ctx.principal.kind, id: ctx.principal.id },
  type,
  ...more,
})

type More = {
  entries: readonly Entry[]
  parts?: readonly (TaskParts | undefined)[]
  writes?: readonly Write[]
  transitions?: readonly Transition[]
  measures?: readonly Measure[]
}

/** Ids and words of closed lists only: what people write stands in the incident alone. */
const life = lifecycle(incidents, INCIDENT_STATES, {
  facts: (next, was) => ({
    type: was ? 'incident.updated' : 'incident.created',
    subject: { type: 'incident', id: next.id },
    data: factsOf(was, next),
  }),
  events: (incident, was) => (was ? [] : [made(incident)]),
})

function moved(ctx: Context, was: Stored<Incident> | undefined, next: Incident) {
  if (!was) return life.begin(ctx, next)
  return next.status === was.status ? life.change(ctx, was, next) : life.move(ctx, was, next.status, next)
}

/** The incident as parts of a commit; `was` is undefined for one that is made. */
export function incidentParts(
  ctx: Context,
  was: Stored<Incident> | undefined,
  next: Incident,
  entries: readonly Entry[],
) {
  const { write, transition } = moved(ctx, was, next)
  const lines = entries.map((line) =>
    timeline.insert({ ...ctx.space, incident_id: next.id, id: ctx.id('tle').slice('tle_'.length), ...line }),
  )
  return { writes: [write, ...lines], transition }
}

export async function commitIncident(
  ctx: Context,
  was: Stored<Incident> | undefined,
  next: Incident,
  { entries, parts = [], writes = [], transitions = [], measures = [] }: More,
): Promise<void> {
  const own = incidentParts(ctx, was, next, entries)
  const beside = parts.filter((part) => part !== undefined)
  const evidence = commitWith(ctx, [own.transition, ...transitions, ...beside.flatMap((part) => part.transitions)], {
    mails: beside.flatMap((part) => part.mails),
    measures,
  })
  await ctx.table.commit([...own.writes, ...writes, ...beside.flatMap((part) => part.writes), ...evidence], next.id)
}

const FIELDS = [
  'status',
  'severity',
  'commander_id',
  'root_cause',
  'personal_data_breach',
  'notified_at',
  'alert_ids',
  'follow_up_task_ids',
  'runbook_id',
  'duplicate_of',
  'breach_overrun',
] as const

function factsOf(was: Incident | undefined, next: Incident) {
  const { status, severity, source, personal_data_breach, notified_at, detected_at } = next
  const differ = was ? FIELDS.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(next[name])) : []
  return {
    status,
    severity,
    source,
    personal_data_breach,
    detected_at,
    ...(notified_at && { notified_at }),
    ...(was && { changed_fields: differ }),
  }
}

const made = ({ id, title }: Incident): EventDraft => ({
  type: 'artifact.created',
  subject: { id, version: 1 },
  data: { artifact_type: 'incident', resource_id: id, name: title, sha256: null, size_bytes: null },
})
