// How an alert moves, as one pure step for each look at its condition.
import { DAY_MS, HOUR_MS, iso, MINUTE_MS } from '../../base/lib/clock.ts'
import { type Alert, type AlertStatus, HISTORY_MAX } from './alert.ts'
import { type AlertRule, minutesIn } from './rule.ts'

/** A condition that comes true again this soon after it recovered is the same alert. */
const SAME_ALERT_MS = 10 * MINUTE_MS
/** From this many firings within an hour on, an alert flaps. */
const FLAPPING_FROM = 3

/** What a look at a condition found. `holds` is undefined when there was nothing to judge. */
export type Look = { at: number; holds: boolean | undefined; value: number | null; threshold: number | null }

/** `since`: the first look at which the condition held. `last`: the present or last alert of the fingerprint. */
export type Before = { since: number | undefined; last: Alert | undefined }
export type Made = Pick<Alert, 'tenant_id' | 'mode' | 'id' | 'rule_id' | 'fingerprint' | 'title' | 'labels'>

/** `alert` is absent when nothing about it changed; `moved` names the move that is reported to people and webhooks. */
export type After = { since: number | undefined; alert?: Alert; moved?: AlertStatus }

export const isOpen = <A extends Alert>(alert: A | undefined): alert is A =>
  alert !== undefined && alert.status !== 'resolved'

export function step(rule: AlertRule, { since, last }: Before, look: Look, made: () => Made): After {
  if (isOpen(last)) return { since: undefined, ...whileOpen(rule, last, look) }
  if (look.holds !== true) return { since: look.holds === undefined ? since : undefined }
  const from = since ?? look.at
  if (look.at - from < minutesIn(rule.for) * MINUTE_MS) return { since: from }
  return { since: undefined, alert: fired(rule, last, look, made), moved: 'firing' }
}

function fired(rule: AlertRule, last: Alert | undefined, { at, value, threshold }: Look, made: () => Made): Alert {
  const now = iso(at)
  const again = last !== undefined && recoveredJustNow(last, at) ? last : undefined
  const firings = [...(again?.fired ?? []).filter((time) => at - Date.parse(time) < HOUR_MS), now]
  const before = again ? withoutEnd(again) : { ...made(), occurrences: 0, history: [] }
  const next: Alert = {
    ...before,
    status: 'firing',
    severity: rule.severity,
    webhook: rule.notify.webhook,
    value,
    threshold,
    starts_at: now,
    last_evaluated_at: now,
    data_at: now,
    occurrences: before.occurrences + 1,
    fired: firings,
    flapping: firings.length >= FLAPPING_FROM,
  }
  return withMove(next, { at: now, status: 'firing', by: 'system' })
}

/** Without the members of the former end; the time of the last mail, the task and the incident are kept. */
function withoutEnd({ resolved_at, resolved_by, resolution, clear_since, acked_at, acked_by, ...kept }: Alert) {
  return kept
}

const recoveredJustNow = ({ resolution, resolved_at }: Alert, at: number): boolean =>
  resolution === 'recovered' && resolved_at !== undefined && at - Date.parse(resolved_at) <= SAME_ALERT_MS

function whileOpen(rule: AlertRule, alert: Alert, look: Look): Omit<After, 'since'> {
  const { at, holds, value, threshold } = look
  const now = iso(at)
  if (holds === undefined)
    return isGivenUp(rule, alert, at) ? resolved(alert, { now, by: 'system', as: 'no_data' }) : {}
  const looked = { ...alert, last_evaluated_at: now, data_at: now }
  if (holds) {
    const { clear_since, ...going } = { ...looked, value, threshold }
    return isAwake(alert, at) ? refired(going, now) : { alert: going }
  }
  const clear_since = alert.clear_since ?? now
  const isOver = rule.auto_resolve && at - Date.parse(clear_since) >= calmMs(rule, alert)
  return isOver ? resolved(looked, { now, by: 'system', as: 'recovered' }) : { alert: { ...looked, clear_since } }
}

/** Nothing to judge for so long that the alert says nothing any more. An absence is itself what an alert may be about. */
const isGivenUp = ({ kind, window }: AlertRule, { data_at }: Alert, at: number): boolean =>
  kind !== 'absence' && at - Date.parse(data_at) > Math.max(DAY_MS, 2 * minutesIn(window) * MINUTE_MS)

const isAwake = ({ status, snoozed_until }: Alert, at: number): boolean =>
  status === 'acked' && snoozed_until !== undefined && Date.parse(snoozed_until) <= at

function refired(alert: Alert, now: string): Omit<After, 'since'> {
  const { snoozed_until, acked_at, acked_by, ...rest } = alert
  return {
    alert: withMove({ ...rest, status: 'firing' }, { at: now, status: 'firing', by: 'system' }),
    moved: 'firing',
  }
}

/** How long the condition must be false. It doubles with each firing of a flapping alert, up to an hour. */
function calmMs({ resolve_after }: AlertRule, { fired: { length }, flapping }: Alert): number {
  const usual = minutesIn(resolve_after) * MINUTE_MS
  return flapping
    ? Math.max(usual, Math.min(HOUR_MS, Math.max(usual, MINUTE_MS) * 2 ** (length - FLAPPING_FROM + 1)))
    : usual
}

type End = { now: string; by: string; as: NonNullable<Alert['resolution']>; note?: string | undefined }

export function resolved(alert: Alert, { now, by, as, note }: End): { alert: Alert; moved: 'resolved' } {
  const { snoozed_until, clear_since, ...rest } = alert
  const next: Alert = { ...rest, status: 'resolved', resolved_at: now, resolved_by: by, resolution: as }
  return { alert: withMove(next, { at: now, status: 'resolved', by, ...(note && { note }) }), moved: 'resolved' }
}

export const withMove = (alert: Alert, move: Alert['history'][number]): Alert => ({
  ...alert,
  history: [...alert.history, move].slice(-HISTORY_MAX),
})

/** Whether people get a mail that it fires: at first, and again when the rule repeats it. Never while muted or acknowledged. */
export function isMailDue(rule: AlertRule, { status, notified_at }: Alert, at: number): boolean {
  if (status !== 'firing' || isMuted(rule, at)) return false
  return notified_at === undefined || at - Date.parse(notified_at) >= minutesIn(rule.repeat_after) * MINUTE_MS
}

export const isMuted = ({ mute_until }: AlertRule, at: number): boolean =>
  mute_until !== undefined && Date.parse(mute_until) > at
