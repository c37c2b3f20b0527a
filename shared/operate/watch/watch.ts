// Looks at the rules of a space once its metrics are counted: which alerts fire, which are over, who is notified.
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { unlessChangedMeanwhile } from '../../base/kernel/retry.ts'
import { SETTLED_MS } from '../../base/table/due.ts'
import type { Stored } from '../../base/table/entity.ts'
import { positionOf } from '../../ledger/fold/folder.ts'
import { type Alert, alerts, fingerprintOf, type LastAlert, lastAlerts, lastAlertsKey } from '../alerts/alert.ts'
import { rulesInForce } from '../alerts/built-in-rules.ts'
import { endAlert } from '../alerts/move-alert.ts'
import { type AlertRule, minutesIn, RULES } from '../alerts/rule.ts'
import { isOpen, step } from '../alerts/states.ts'
import { allOf } from '../definitions/definitions.ts'
import { METRICS_FOLDER, MINUTE, seenIn, unrolledIn } from '../metrics/state.ts'
import { WindowReader } from '../slos/counts.ts'
import { type Slo, SLOS } from '../slos/slo.ts'
import { anySeries } from './metric-series.ts'
import { canHold, type Finding, findings, type Known, sliOf } from './conditions.ts'
import { filtersIn, hitsOf, WATCH_FOLDER } from './folder.ts'
import { carryOut } from './carry-out.ts'
import { isStillLate } from './raise-late.ts'
import { type WatchState, watchState, watchStates } from './error-budget.ts'

export type Definitions = { rules: AlertRule[]; slos: Slo[] }

/** The enabled rules of a space, with those of its objectives. */
export async function definitionsOf(ctx: Context): Promise<Definitions> {
  const [rules, slos] = await Promise.all([allOf(ctx, RULES), allOf(ctx, SLOS)])
  return { rules: rulesInForce(ctx.space, rules, slos).filter(({ enabled }) => enabled), slos }
}

/** How many alerts fire then. Repeating it for the same minute changes nothing. `asOf` (ms): everything before it is counted. */
export async function watch(ctx: Context, { rules, slos }: Definitions, asOf: number): Promise<number> {
  const was = await watchState(ctx)
  if (Date.parse(was.looked_at) >= asOf) return 0
  const [counted, watched, pointers] = await Promise.all([
    positionOf(ctx, METRICS_FOLDER),
    positionOf(ctx, WATCH_FOLDER),
    ctx.table.query(lastAlerts, { pk: lastAlertsKey(ctx.space) }),
  ])
  const known: Known = {
    reader: new WindowReader(ctx, asOf, unrolledIn(counted.state)),
    slos,
    hits: hitsOf(watched.state),
    seen: seenIn(counted.state),
    late: (rule) => lateOf(ctx, rule, pointers),
  }
  const looks = new Looks(ctx, was, pointers)
  for (const rule of rules) {
    if (canHold(rule, known) || looks.concern(rule)) await looks.at(rule, await findings(rule, known), asOf)
  }
  await looks.endOrphans(rules)
  const next: WatchState = {
    ...ctx.space,
    pending: looks.pending,
    filters: filtersIn(slos, was.filters, iso(asOf)),
    looked_at: iso(asOf),
    ...nextLook([...looks.times(asOf), ...absences(rules, known)], asOf),
  }
  if (isSame(was, next)) return looks.firing
  // Unless another worker looked at the same time.
  await unlessChangedMeanwhile(
    ctx.table.commit([was._v === 0 ? watchStates.insert(next) : watchStates.replace(next, was)]),
  )
  return looks.firing
}

async function lateOf(ctx: Context, { id }: AlertRule, pointers: readonly Pointer[]) {
  const open = pointers.filter(({ rule_id, resolved_at }) => rule_id === id && !resolved_at)
  const ids = open.map(({ alert_id }) => ({ ...ctx.space, id: alert_id }))
  const found = await ctx.table.getAll(alerts, ids)
  return Promise.all(found.map(async (alert) => ({ alert, holds: await isStillLate(ctx, alert) })))
}

/** A look that found nothing to remember is not stored: a quiet space costs no write. */
const isSame = (was: WatchState & { _v: number }, next: WatchState): boolean =>
  JSON.stringify([was.pending, was.filters, was.next_look_at]) ===
    JSON.stringify([next.pending, next.filters, next.next_look_at]) &&
  Object.keys(next.pending).length === 0 &&
  next.next_look_at === undefined

/** When the minute is counted in which something may change: earlier, a look would find the same as this one. */
function nextLook(times: readonly number[], asOf: number) {
  const later = times.filter((time) => time > asOf)
  if (later.length === 0) return {}
  return { next_look_at: iso(Math.ceil(Math.min(...later) / MINUTE) * MINUTE + SETTLED_MS) }
}

/** When rules about absence may begin to hold. */
const absences = (rules: readonly AlertRule[], { seen }: Known): number[] =>
  rules
    .filter(({ kind }) => kind === 'absence')
    .map((rule) => ({ rule, last: Math.max(0, ...anySeries(sliOf(rule)).map((series) => seen[series] ?? 0)) }))
    .filter(({ last }) => last > 0)
    .map(({ rule, last }) => last + (minutesIn(rule.window) + 1) * MINUTE)

type Pointer = Stored<LastAlert>

/** The looks of one pass. */
class Looks {
  readonly #ctx: Context
  readonly #was: WatchState
  readonly #pointers: ReadonlyMap<string, Pointer>
  readonly pending: Record<string, string> = {}
  readonly #open: { alert: Alert; rule: AlertRule }[] = []

  constructor(ctx: Context, was: WatchState, pointers: readonly Pointer[]) {
    this.#ctx = ctx
    this.#was = was
    this.#pointers = new Map(pointers.map((pointer) => [pointer.fingerprint, pointer]))
  }

  /** Whether an alert of the rule is open, or one of its conditions is waiting. */
  concern({ id }: AlertRule): boolean {
    const hasOpen = [...this.#pointers.values()].some(({ rule_id, resolved_at }) => rule_id === id && !resolved_at)
    return hasOpen || Object.keys(this.#was.pending).some((waiting) => waiting.startsWith(`${id} `))
  }

  async at(rule: AlertRule, found: readonly Finding[], asOf: number): Promise<void> {
    const nothing = {
      holds: undefined,
      value: null,
      threshold: null,
      labels: {},
      title: rule.name,
      severity: rule.severity,
    }
    const byFingerprint = new Map(found.map((finding) => [fingerprintOf(rule.id, finding.labels), finding]))
    for (const { fingerprint, rule_id, resolved_at } of this.#pointers.values()) {
      if (rule_id === rule.id && !resolved_at && !byFingerprint.has(fingerprint))
        byFingerprint.set(fingerprint, nothing)
    }
    let pageIsOpen = false
    for (const [fingerprint, finding] of byFingerprint) {
      if (finding.labels.burn === 'ticket' && pageIsOpen && !this.#isOpen(fingerprint)) continue
      const isNowOpen = await this.#one(rule, fingerprint, finding, asOf)
      if (finding.labels.burn === 'page') pageIsOpen = isNowOpen
    }
  }

  #isOpen(fingerprint: string): boolean {
    const pointer = this.#pointers.get(fingerprint)
    return pointer !== undefined && !pointer.resolved_at
  }

  /** True when the alert is open afterwards. */
  async #one(rule: AlertRule, fingerprint: string, finding: Finding, asOf: number): Promise<boolean> {
    const ctx = this.#ctx
    const pointer = this.#pointers.get(fingerprint)
    const last = pointer && (await ctx.table.get(alerts, { ...ctx.space, id: pointer.alert_id }))
    const waiting = `${rule.id} ${fingerprint}`
    const since = this.#was.pending[waiting]
    const made = () => ({
      ...ctx.space,
      id: ctx.id('alt'),
      rule_id: rule.id,
      fingerprint,
      title: finding.title,
      labels: finding.labels,
    })
    const severe = { ...rule, severity: finding.severity }
    const after = step(severe, { since: since ? Date.parse(since) : undefined, last }, { at: asOf, ...finding }, made)
    if (after.since !== undefined) this.pending[waiting] = iso(after.since)
    const present = after.alert ?? last
    // Where somebody has moved the alert meanwhile, the next look starts from there.
    await unlessChangedMeanwhile(carryOut(ctx, severe, { known: { alert: last, pointer }, after, at: asOf }))
    if (!isOpen(present)) return false
    this.#open.push({ alert: present, rule })
    return true
  }

  /** Alerts whose rule was deleted or turned off, or whose node or objective is gone. */
  async endOrphans(rules: readonly AlertRule[]): Promise<void> {
    const ids = new Set(rules.map(({ id }) => id))
    for (const { rule_id, resolved_at, alert_id } of this.#pointers.values()) {
      if (!resolved_at && !ids.has(rule_id)) await endAlert(this.#ctx, alert_id, 'deleted')
    }
  }

  get firing(): number {
    return this.#open.filter(({ alert }) => alert.status === 'firing').length
  }

  /** When (ms) the next look is due for what is waiting or open. */
  times(asOf: number): number[] {
    const soon = Object.keys(this.pending).length > 0 ? [asOf + MINUTE] : []
    const ofOpen = this.#open.flatMap(({ alert, rule }) => {
      const { status, snoozed_until, notified_at } = alert
      const repeats = notified_at ? Date.parse(notified_at) + minutesIn(rule.repeat_after) * MINUTE : undefined
      return [
        ...(rule.auto_resolve ? [asOf + MINUTE] : []),
        ...(status === 'acked' && snoozed_until ? [Date.parse(snoozed_until)] : []),
        ...(status === 'firing' && repeats ? [repeats] : []),
      ]
    })
    return [...soon, ...ofOpen]
  }
}
