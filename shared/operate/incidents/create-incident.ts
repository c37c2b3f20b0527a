import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { retryWhenOvertaken } from '../../base/kernel/retry.ts'
import type { Stored } from '../../base/table/entity.ts'
import type { Incident } from './incident.ts'
import type { IncidentInput } from './incident-fields.ts'
import { breachTask } from './breach.ts'
import { finishIncident } from './finish-incident.ts'
import { mustBeAlerts, mustBePerson, mustHavePassed } from './references.ts'
import { mustBeRunbook } from '../runbooks/find-runbook.ts'
import { storedTexts } from '../../govern/governance/pii/stored-text.ts'
import { commitIncident, entry } from './store-incident.ts'

/** Throws 422 for an alert, runbook or person that does not exist. */
export const createIncident = (ctx: Context, input: IncidentInput): Promise<Stored<Incident>> =>
  retryWhenOvertaken(async () => {
    const [runbook, text] = await Promise.all([
      input.runbook_id === undefined ? undefined : mustBeRunbook(ctx, input.runbook_id),
      storedTexts(ctx, { title: input.title, description: input.description }),
      mustBeAlerts(ctx, input.alert_ids, 'alert_ids'),
      mustBePerson(ctx, input.commander_id),
    ])
    const now = iso(ctx.now())
    const detected_at = input.detected_at ?? now
    mustHavePassed(ctx, 'detected_at', detected_at)
    const incident: Incident = {
      ...newIncident(ctx, ctx.id('inc'), { ...input, ...text, detected_at }),
      ...(runbook && { runbook_id: runbook.id, runbook_version: runbook.runbook_version, unfinished: true }),
    }
    const opened = incident.personal_data_breach ? await breachTask(ctx, incident) : undefined
    const next = { ...incident, breach_task_id: opened?.task.id }
    await commitIncident(ctx, undefined, next, { entries: [entry(ctx, 'created', { to: 'triage' })], parts: [opened] })
    return finishIncident(ctx, next.id)
  })

type Draft = Pick<Incident, 'title' | 'severity' | 'detected_at' | 'alert_ids'> & Partial<Incident>

/** An incident in its first state. */
export function newIncident(ctx: Context, id: string, draft: Draft): Incident {
  const now = iso(ctx.now())
  return {
    affected: { node_ids: [], slo_ids: [] },
    personal_data_breach: false,
    ...draft,
    ...ctx.space,
    id,
    status: 'triage',
    source: draft.source ?? 'manual',
    follow_up_task_ids: [],
    step_task_ids: [],
    breach_overrun: false,
    ...(draft.alert_ids.length > 0 && { unfinished: true }),
    created_at: now,
    updated_at: now,
    created_by: { type: ctx.principal.kind, id: ctx.principal.id },
  }
}
