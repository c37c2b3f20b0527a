// Checks of operations: objectives, alerts, incidents, backups and deliveries.
import type { AlertFact } from '../../../base/ports/check-facts.ts'
import { noData, notApplicable, stateCheck } from '../check.ts'
import { days, evidence, finding, isBeyond, isWithin, minutes, population, setting } from './kinds.ts'

const ANSWERED = minutes(30)
const ANSWERED_PERCENT = 95
const LEARNED = days(14)
const DELIVERED_PERCENT = 99

/** An alert that ended by itself in time needs no answer. */
const neededAnswer = ({ fired_at, answered_at, ended_at }: AlertFact, now: number): boolean =>
  answered_at !== undefined || isBeyond(fired_at, ANSWERED, ended_at === undefined ? now : Date.parse(ended_at))

const wasAnswered = ({ fired_at, answered_at = '' }: AlertFact): boolean =>
  isWithin(fired_at, ANSWERED, Date.parse(answered_at))

const idsOf = (all: readonly { id: string }[]) => all.map(({ id }) => id)

export const operations = {
  'OPS-01': stateCheck(['slos'], ({ slos }) => {
    const objectives = slos.filter(({ indicator }) => indicator === 'api_availability')
    const breached = objectives.filter(({ status }) => status === 'breached')
    if (objectives.length > 0 && objectives.every(({ status }) => status === 'no_data'))
      return noData('Too few requests were counted to judge an SLO on api_availability.')
    return setting({
      holds: objectives.length > 0 && breached.length === 0,
      detail: `${objectives.length - breached.length} of ${objectives.length} SLOs on api_availability are not breached.`,
      numerator: objectives.length - breached.length,
      denominator: objectives.length,
      failing: idsOf(breached),
    })
  }),

  'OPS-02': stateCheck(['alert_rules', 'alerts'], ({ alert_rules, alerts }, { now }) => {
    const seeds = alert_rules.filter(({ seed }) => seed !== undefined)
    const blind = seeds.filter(({ enabled, seed }) => !enabled || !seed?.watches)
    const due = alerts.filter((alert) => neededAnswer(alert, now))
    const late = due.filter((alert) => !wasAnswered(alert))
    const isAnswered = (due.length - late.length) * 100 >= due.length * ANSWERED_PERCENT
    return setting({
      holds: seeds.length > 0 && blind.length === 0 && isAnswered,
      detail:
        `${seeds.length - blind.length} of ${seeds.length} critical rules of the service watch; ` +
        `${due.length - late.length} of ${due.length} alerts were acknowledged within 30 min; ${ANSWERED_PERCENT} % are asked for.`,
      numerator: seeds.length - blind.length + due.length - late.length,
      denominator: seeds.length + due.length,
      failing: [...idsOf(blind), ...idsOf(late)],
    })
  }),

  'OPS-03': stateCheck(['incidents'], ({ incidents }, { now, since }) =>
    population({
      members: incidents.filter(
        ({ status, resolved_at = '' }) =>
          status === 'resolved' && Date.parse(resolved_at) >= since && isBeyond(resolved_at, LEARNED, now),
      ),
      who: 'incidents resolved more than 14 days ago',
      what: 'have a root cause and a follow-up task',
      holds: ({ root_cause, follow_ups }) => root_cause && follow_ups > 0,
    }),
  ),

  'OPS-04': stateCheck(['alert_rules'], ({ alert_rules }) =>
    population({
      members: alert_rules.filter(({ enabled, severity }) => enabled && severity === 'critical'),
      who: 'enabled alert rules of severity critical',
      what: 'link a runbook',
      holds: ({ has_runbook }) => has_runbook,
    }),
  ),

  'OPS-05': stateCheck(['backups'], ({ backups }) => {
    if (!backups) return notApplicable('This platform keeps no backups.')
    const parts = [
      { id: 'point-in-time recovery of the table', on: backups.recovery },
      { id: 'versions of the evidence bucket', on: backups.versions },
      { id: 'Object Lock of the evidence bucket', on: backups.lock },
    ]
    return population({ members: parts, who: 'means of recovery', what: 'are switched on', holds: ({ on }) => on })
  }),

  'OPS-06': evidence('restore_test', 365),
  'OPS-07': evidence('scan', 30),

  'OPS-08': stateCheck(['endpoints', 'deliveries'], ({ endpoints, deliveries: { ended, delivered } }) => {
    const broken = endpoints.filter(({ status }) => status === 'error')
    if (broken.length === 0 && ended === 0) return noData('No deliveries ended in the last 28 days.')
    const isEnough = delivered * 100 >= ended * DELIVERED_PERCENT
    const failing = isEnough ? broken : endpoints.filter((one) => one.failing || broken.includes(one))
    const detail =
      `${broken.length} of ${endpoints.length} webhook endpoints are in status error; ` +
      `${delivered} of ${ended} deliveries of the last 28 days arrived; ${DELIVERED_PERCENT} % are asked for.`
    return finding(broken.length === 0 && isEnough, detail, {
      numerator: delivered,
      denominator: ended,
      failing: idsOf(failing),
    })
  }),
}
