// The SLA policies of this deployment, in the order in which equals are taken. Whoever deploys changes them here; work that
// runs keeps the times it was given until its priority changes or it waits.
import { type SlaPolicy, policyFor, type Measured } from './policy.ts'

const HOUR = 60
const DAY = 24 * HOUR

const ESCALATIONS: SlaPolicy['escalations'] = [
  { after_percent: 80, action: 'notify' },
  { after_percent: 100, action: 'raise_priority' },
  { after_percent: 150, action: 'reassign' },
]

/** Where people wait for the work. */
const WITH_ALERT: SlaPolicy['escalations'] = [...ESCALATIONS, { after_percent: 200, action: 'alert' }]

const open = { kinds: [], priorities: [], tiers: [] } satisfies SlaPolicy['applies_to']

export const SLA_POLICIES: readonly SlaPolicy[] = [
  {
    id: 'sla_approvals-hard',
    name: 'approvals-hard',
    applies_to: { ...open, kinds: ['approval'], tiers: ['HARD'] },
    first_response_minutes: 30,
    resolution_minutes: 4 * HOUR,
    escalations: WITH_ALERT,
    is_default: false,
  },
  {
    id: 'sla_approvals-urgent',
    name: 'approvals-urgent',
    applies_to: { ...open, kinds: ['approval'], priorities: ['urgent'] },
    first_response_minutes: 10,
    resolution_minutes: HOUR,
    escalations: WITH_ALERT,
    is_default: false,
  },
  {
    // The steps of an incident of severity sev1 are urgent.
    id: 'sla_incidents-sev1',
    name: 'incidents-sev1',
    applies_to: { ...open, kinds: ['incident_step'], priorities: ['urgent'] },
    first_response_minutes: 5,
    resolution_minutes: 4 * HOUR,
    escalations: WITH_ALERT,
    is_default: false,
  },
  {
    id: 'sla_compliance-remediation',
    name: 'compliance-remediation',
    applies_to: { ...open, kinds: ['remediation'] },
    first_response_minutes: DAY,
    resolution_minutes: 7 * DAY,
    escalations: ESCALATIONS,
    is_default: false,
  },
  {
    id: 'sla_default',
    name: 'default',
    applies_to: open,
    first_response_minutes: 8 * HOUR,
    resolution_minutes: 5 * DAY,
    escalations: ESCALATIONS,
    is_default: true,
  },
]

export const slaPolicyFor = (work: Measured): SlaPolicy => policyFor(SLA_POLICIES, work)

/** By id; one that a later deployment has dropped counts like the default. */
export const slaPolicy = (id: string): SlaPolicy =>
  SLA_POLICIES.find((policy) => policy.id === id) ?? policyFor(SLA_POLICIES, { kind: '' })
