// Checks of personal data: redaction, requests of data subjects, notified breaches, and removal in time.
import type { IncidentFact, TaskFact } from '../../../base/ports/check-facts.ts'
import { type Moment, stateCheck } from '../check.ts'
import { days, hours, isBeyond, isWithin, population, setting } from './kinds.ts'

/** GDPR, article 12(3): one month. */
const ANSWERED = days(30)
/** GDPR, article 33(1). */
const NOTIFIED = hours(72)
/** DynamoDB and S3 may take this long to remove expired items and files. */
const REMOVED = hours(48)
const ERASED = hours(24)

/** A request that was dropped counts only where people said why. */
const wasAnswered = ({ opened_at, ended_at = '', status, resolved }: TaskFact): boolean =>
  isWithin(opened_at, ANSWERED, Date.parse(ended_at)) && (status === 'completed' || resolved)

const wasNotified = ({ detected_at, notified_at }: IncidentFact, now: number): boolean =>
  isWithin(detected_at, NOTIFIED, notified_at === undefined ? now : Date.parse(notified_at))

/** An event of the window, or one that is still waiting for something. */
const counts = (at: string, isOpen: boolean, { since }: Moment): boolean => isOpen || Date.parse(at) >= since

export const privacy = {
  'PRV-01': stateCheck(
    ['governance'],
    ({ governance: { pii_mode }, datasets = [] }) => {
      const unfit = datasets.filter(({ redacted, residual_findings }) => !redacted || residual_findings > 0)
      const isOn = pii_mode !== 'off'
      const made =
        datasets.length > 0 ? `; ${datasets.length - unfit.length} of ${datasets.length} datasets are clean` : ''
      return setting({
        holds: isOn && unfit.length === 0,
        detail: `pii_mode is ${pii_mode}${made}.`,
        numerator: (isOn ? 1 : 0) + datasets.length - unfit.length,
        denominator: 1 + datasets.length,
        failing: unfit.map(({ id }) => id),
      })
    },
    ['datasets'],
  ),

  'PRV-03': stateCheck(['tasks'], ({ tasks }, moment) =>
    population({
      members: tasks.filter(
        ({ kind, opened_at, ended_at }) =>
          kind === 'dsr' &&
          isBeyond(opened_at, ANSWERED, moment.now) &&
          counts(opened_at, ended_at === undefined, moment),
      ),
      who: 'requests of data subjects opened more than 30 days ago',
      what: 'were closed within 30 days',
      holds: wasAnswered,
    }),
  ),

  'PRV-04': stateCheck(['incidents'], ({ incidents }, moment) =>
    population({
      members: incidents.filter(
        ({ breach, detected_at, notified_at }) => breach && counts(detected_at, notified_at === undefined, moment),
      ),
      who: 'breaches of personal data',
      what: 'were notified within 72 h of their detection, or can still be',
      holds: (incident) => wasNotified(incident, moment.now),
    }),
  ),

  'PRV-05': stateCheck(['endpoints', 'oldest_files', 'oldest_payloads', 'erasures'], (facts, { now }) => {
    const { endpoints, oldest_files, oldest_payloads, erasures } = facts
    const deliveries = endpoints.flatMap(({ oldest_delivery }) => oldest_delivery ?? [])
    const oldest = [...deliveries, ...oldest_files, ...oldest_payloads]
    const kept = oldest.map(({ id, until }) => ({ id, at: until, span: REMOVED }))
    const running = erasures.map(({ id, requested_at }) => ({ id, at: requested_at, span: ERASED }))
    return population({
      members: [...kept, ...running],
      who: 'lists with a retention time and running erasures',
      what: 'are at most 48 h past their time, or run for at most 24 h',
      holds: ({ at, span }) => isWithin(at, span, now),
    })
  }),

  'PRV-06': stateCheck(['connections'], ({ connections }) =>
    population({
      members: connections,
      who: 'connections',
      what: 'record their purpose and the categories of their data',
      holds: ({ purpose = '', data_categories }) => purpose.trim() !== '' && data_categories.length > 0,
    }),
  ),
}
