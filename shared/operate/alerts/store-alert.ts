// A change of an alert as the parts of a commit: the alert, the pointer that keeps its fingerprint single, the artifact, the events.
// It is no `lifecycle`: a look at the condition computes the next alert (states.ts), which may be another one.
import type { Context } from '../../base/context.ts'
import type { ArtifactType } from '../../base/catalog/artifact-types.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { ChangedMeanwhile } from '../../base/kernel/retry.ts'
import type { EventDraft } from '../../ledger/events/event.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { commitWith, type Transition } from '../../ledger/evidence/artifact/record.ts'
import { type Alert, alerts, type AlertStatus, type LastAlert, lastAlerts } from './alert.ts'

/** The stored rows of a fingerprint; `pointer` names its present or last alert. */
export type Known = { alert: Stored<Alert> | undefined; pointer: Stored<LastAlert> | undefined }

export type AlertParts = { alert: Stored<Alert>; writes: Write[]; transitions: Transition[] }

const ARTIFACTS: Record<AlertStatus, ArtifactType> = {
  firing: 'alert.fired',
  acked: 'alert.acked',
  resolved: 'alert.resolved',
}

const EVENTS = { firing: 'alert.firing', acked: 'alert.acked', resolved: 'alert.resolved' } as const

/** `moved` is absent for a change that is not reported, such as a newer value. */
export function alertParts(
  ctx: Context,
  { alert: was, pointer }: Known,
  next: Alert,
  moved: AlertStatus | undefined,
): AlertParts {
  const isSame = was?.id === next.id
  const write = isSame ? alerts.replace(next, was, new ChangedMeanwhile()) : alerts.insert(next, new ChangedMeanwhile())
  const { tenant_id, mode, fingerprint, rule_id, resolved_at } = next
  const last: LastAlert = { tenant_id, mode, fingerprint, alert_id: next.id, rule_id, resolved_at }
  const point = pointer
    ? lastAlerts.replace(last, pointer, new ChangedMeanwhile())
    : lastAlerts.insert(last, new ChangedMeanwhile())
  const hasTurned = moved !== undefined && (!isSame || (moved === 'resolved') !== (was.status === 'resolved'))
  return {
    alert: { ...next, _v: isSame ? was._v + 1 : 1 },
    writes: [write, ...(hasTurned ? [point] : [])],
    transitions: moved ? [transition(ctx, next, moved, !isSame)] : [],
  }
}

function transition(ctx: Context, alert: Alert, moved: AlertStatus, isNew: boolean) {
  const { id, rule_id, severity, occurrences, resolution } = alert
  const data = { rule_id, severity, occurrences, ...(resolution && moved === 'resolved' && { resolution }) }
  const artifact = newArtifact(ctx, { type: ARTIFACTS[moved], subject: { type: 'alert', id }, data })
  return { artifact, events: alert.webhook ? eventsOf(alert, moved, isNew) : [] }
}

function eventsOf(alert: Alert, moved: AlertStatus, isNew: boolean): EventDraft[] {
  const { id, rule_id, severity, title, status, value, threshold, labels, history } = alert
  const facts = {
    alert_id: id,
    rule_id,
    severity,
    title,
    status,
    labels,
    value: decimal(value),
    threshold: decimal(threshold),
  }
  const move: EventDraft = { type: EVENTS[moved], subject: { id, version: history.length }, data: facts }
  if (!isNew) return [move]
  const made: EventDraft = {
    type: 'artifact.created',
    subject: { id, version: 1 },
    data: { artifact_type: 'alert', resource_id: id, name: title, sha256: null, size_bytes: null },
  }
  return [made, move]
}

/** Figures of events are decimal texts; empty where nothing was measured. */
const decimal = (value: number | null): string => (value === null ? '' : String(value))

type More = { writes?: readonly Write[]; transitions?: readonly Transition[]; mails?: readonly Mail[] }

/** A commit about the alert, with the writes, transitions and mails that belong to it. `ref`: see `Table.commit`. */
export async function commitAlert(
  ctx: Context,
  parts: AlertParts,
  more: More = {},
  ref?: string,
): Promise<Stored<Alert>> {
  const [first, ...others] = [...parts.transitions, ...(more.transitions ?? [])]
  const evidence = first ? commitWith(ctx, [first, ...others], { mails: more.mails ?? [] }) : []
  await ctx.table.commit([...parts.writes, ...(more.writes ?? []), ...evidence], ref)
  return parts.alert
}
