import type { Facts } from '../../../../../shared/base/ports/check-facts.ts'
import { ago, alert, endpoint, hoursAgo, incident, rule, task } from './make.ts'
import type { Case } from './rules.test.ts'

const slo = (id: string, status: Facts['slos'][number]['status'], indicator = 'api_availability') => ({
  id,
  status,
  indicator,
})
const seed = rule('seed', { seed: { watches: true } })
const many = <T>(count: number, make: (id: string) => T) => Array.from({ length: count }, (_, i) => make(`a${i}`))
const unanswered = (id: string, over: object = {}) =>
  alert(id, { answered_at: undefined, ended_at: undefined, ...over })
const backups = { recovery: true, versions: true, lock: true, lock_days: 2_555 }

export const OPERATIONS: readonly Case[] = [
  {
    check: 'OPS-01',
    when: 'an SLO on availability is met, one is at risk and one has no data; another indicator does not matter',
    facts: {
      slos: [slo('a', 'healthy'), slo('b', 'at_risk'), slo('c', 'no_data'), slo('d', 'breached', 'governance_latency')],
    },
  },
  {
    check: 'OPS-01',
    when: 'one of two SLOs on availability is breached',
    facts: { slos: [slo('a', 'healthy'), slo('b', 'breached')] },
    failing: ['b'],
  },
  {
    check: 'OPS-01',
    when: 'only another indicator has an SLO',
    facts: { slos: [slo('a', 'healthy', 'governance_latency')] },
    failing: [],
  },
  {
    check: 'OPS-02',
    when: 'the critical rule of the service watches, and nothing fired',
    facts: { alert_rules: [seed], alerts: [] },
  },
  {
    check: 'OPS-02',
    when: 'of 20 alerts one was answered late, and one that went within 30 minutes needed no answer',
    facts: {
      alert_rules: [seed],
      alerts: [
        ...many(19, alert),
        alert('late', { answered_at: hoursAgo(9.4) }),
        unanswered('gone', { ended_at: hoursAgo(9.6) }),
        unanswered('new', { fired_at: hoursAgo(0.4) }),
      ],
    },
  },
  {
    check: 'OPS-02',
    when: 'of 10 alerts one was never answered',
    facts: { alert_rules: [seed], alerts: [...many(9, alert), unanswered('open')] },
    failing: ['open'],
  },
  {
    check: 'OPS-02',
    when: 'a critical rule of the service is switched off, and another was made blind',
    facts: {
      alert_rules: [
        rule('off', { seed: { watches: true }, enabled: false }),
        rule('blind', { seed: { watches: false } }),
      ],
      alerts: [],
    },
    failing: ['blind', 'off'],
  },
  {
    check: 'OPS-03',
    when: 'incidents have a cause and a follow-up, are young, were resolved before the window, or are not over',
    facts: {
      incidents: [
        incident('a'),
        incident('young', { resolved_at: ago(14), root_cause: false }),
        incident('old', { resolved_at: ago(200), root_cause: false }),
        incident('open', { status: 'monitoring', resolved_at: undefined, root_cause: false }),
      ],
    },
  },
  {
    check: 'OPS-03',
    when: 'an incident lacks its cause, another its follow-up',
    facts: { incidents: [incident('a', { root_cause: false }), incident('b', { follow_ups: 0 }), incident('c')] },
    failing: ['a', 'b'],
  },
  {
    check: 'OPS-04',
    when: 'enabled critical rules link a runbook; others need none',
    facts: {
      alert_rules: [
        rule('a'),
        rule('b', { severity: 'high', has_runbook: false }),
        rule('c', { enabled: false, has_runbook: false }),
      ],
    },
  },
  {
    check: 'OPS-04',
    when: 'a critical rule links no runbook',
    facts: { alert_rules: [rule('a'), rule('b', { has_runbook: false })] },
    failing: ['b'],
  },
  { check: 'OPS-05', when: 'recovery, versions and lock are on', facts: { backups } },
  {
    check: 'OPS-05',
    when: 'somebody switched recovery and the lock off',
    facts: { backups: { ...backups, recovery: false, lock: false } },
    failing: ['Object Lock of the evidence bucket', 'point-in-time recovery of the table'],
  },
  {
    check: 'OPS-08',
    when: 'no endpoint is in error, and 99 of 100 deliveries arrived',
    facts: {
      endpoints: [endpoint('a'), endpoint('b', { status: 'disabled', failing: true })],
      deliveries: { ended: 100, delivered: 99 },
    },
  },
  {
    check: 'OPS-08',
    when: 'an endpoint is in error, though enough arrived',
    facts: {
      endpoints: [endpoint('a', { status: 'error' }), endpoint('b')],
      deliveries: { ended: 100, delivered: 100 },
    },
    failing: ['a'],
  },
  {
    check: 'OPS-08',
    when: 'too few deliveries arrived; endpoints whose last delivery failed are named',
    facts: {
      endpoints: [endpoint('a', { failing: true }), endpoint('b')],
      deliveries: { ended: 1_000, delivered: 989 },
    },
    failing: ['a'],
  },
  {
    check: 'PRV-03',
    when: 'requests were answered within 30 days, dropped with a reason, are young, or ended before the window',
    facts: {
      tasks: [
        task('a', { kind: 'dsr', opened_at: ago(40), ended_at: ago(10) }),
        task('b', { kind: 'dsr', status: 'cancelled' }),
        task('c', { kind: 'dsr', status: 'open', opened_at: ago(30), ended_at: undefined }),
        task('d', { kind: 'dsr', opened_at: ago(100), ended_at: ago(1) }),
        task('e', { status: 'open', ended_at: undefined }),
      ],
    },
  },
  {
    check: 'PRV-03',
    when: 'requests are open for more than 30 days, from whenever, were answered late, or dropped without a word',
    facts: {
      tasks: [
        task('dropped', { kind: 'dsr', status: 'cancelled', resolved: false }),
        task('late', { kind: 'dsr', opened_at: ago(40), ended_at: ago(9.9) }),
        task('old', { kind: 'dsr', status: 'blocked', opened_at: ago(300), ended_at: undefined }),
      ],
    },
    failing: ['dropped', 'late', 'old'],
  },
  {
    check: 'PRV-04',
    when: 'breaches were notified within 72 hours, or still can be, or lie before the window',
    facts: {
      incidents: [
        incident('a', { breach: true, notified_at: ago(27) }),
        incident('b', { breach: true, detected_at: hoursAgo(72), status: 'triage', resolved_at: undefined }),
        incident('c', { breach: true, detected_at: ago(200), notified_at: ago(1) }),
        incident('d'),
      ],
    },
  },
  {
    check: 'PRV-04',
    when: 'breaches were notified late, or not at all, also where they are resolved or older than the window',
    facts: {
      incidents: [
        incident('late', { breach: true, notified_at: ago(26.9) }),
        incident('never', { breach: true }),
        incident('old', { breach: true, detected_at: ago(200) }),
      ],
    },
    failing: ['late', 'never', 'old'],
  },
  {
    check: 'PRV-05',
    when: 'what should be gone is at most 48 hours late, and erasures run for a day',
    facts: {
      endpoints: [endpoint('a', { oldest_delivery: { id: 'whd', until: hoursAgo(48) } }), endpoint('b')],
      oldest_files: [{ id: 'exp', until: ago(-3) }],
      oldest_payloads: [{ id: 'exe', until: hoursAgo(47) }],
      erasures: [{ id: 'ers', requested_at: hoursAgo(24) }],
    },
  },
  {
    check: 'PRV-05',
    when: 'a delivery, a file, a payload and an erasure are overdue',
    facts: {
      endpoints: [endpoint('a', { oldest_delivery: { id: 'whd', until: hoursAgo(49) } })],
      oldest_files: [{ id: 'exp', until: hoursAgo(49) }],
      oldest_payloads: [{ id: 'exe', until: hoursAgo(49) }],
      erasures: [{ id: 'ers', requested_at: hoursAgo(25) }],
    },
    failing: ['ers', 'exe', 'exp', 'whd'],
  },
]
