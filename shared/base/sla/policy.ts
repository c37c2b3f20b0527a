// SLA policies: how soon work must be looked at and done. The shape of a policy, which one applies to a piece of work, and the policies of
// this deployment. The operator changes them here; running work keeps its times until its priority changes or it waits.
import { MINUTE_MS } from '../lib/clock.ts'
import * as z from 'zod'
import { BusinessHours } from './business-hours.ts'

export const PRIORITIES = ['low', 'medium', 'high', 'urgent'] as const
export type Priority = (typeof PRIORITIES)[number]

/** `notify` mails, `reassign` gives it to somebody else, `raise_priority` takes the next one, `alert` opens an alert. */
export const ESCALATION_ACTIONS = ['notify', 'reassign', 'raise_priority', 'alert'] as const

const Escalation = z.object({
  /** Of the time to resolve; each may occur once. */
  after_percent: z.int().min(1).max(1_000).describe('The percentage of the time to resolve after which this happens.'),
  action: z.enum(ESCALATION_ACTIONS).describe('What happens then.'),
  /** The worker or person to assign or notify, where it is not the assignee. */
  to: z.string().optional().describe('Id of the worker or person to assign or notify. Absent: the assignee.'),
})
export type Escalation = z.output<typeof Escalation>

export const SlaPolicy = z.object({
  id: z.string().describe('The id, which never changes.'),
  name: z.string().describe('A name for people.'),
  /** An empty list leaves that member open. */
  applies_to: z
    .object({
      kinds: z.array(z.string()).describe('Only tasks of these kinds.'),
      priorities: z.array(z.enum(PRIORITIES)).describe('The priorities that the SLA covers.'),
      tiers: z.array(z.string()).describe('The tiers that the SLA covers.'),
    })
    .describe('The work that the SLA covers. An empty list matches everything.'),
  first_response_minutes: z.int().positive().describe('Minutes until somebody should first work on it.'),
  resolution_minutes: z.int().positive().describe('Minutes until it should be resolved.'),
  business_hours: BusinessHours.optional().describe('The hours that count. Without them all time counts.'),
  escalations: z.array(Escalation).describe('What happens when a percentage of the time to resolve is used up.'),
  is_default: z.boolean().describe('Whether the SLA covers work that no other SLA covers.'),
})
export type SlaPolicy = z.output<typeof SlaPolicy>

/** The members of a piece of work by which its policy is chosen. */
type Measured = { kind: string; priority?: Priority | undefined; tier?: string | undefined }

/** The policy with the most members that match; of several the first. Throws when none matches, which a default prevents. */
export function policyFor(policies: readonly SlaPolicy[], work: Measured): SlaPolicy {
  const ranked = policies.filter((policy) => applies(policy, work)).toSorted((a, b) => precision(b) - precision(a))
  const [best] = ranked
  if (!best) throw new Error('no SLA policy is the default')
  return best
}

function applies({ applies_to: { kinds, priorities, tiers } }: SlaPolicy, { kind, priority, tier }: Measured): boolean {
  return covers(kinds, kind) && covers(priorities, priority) && covers(tiers, tier)
}

/** An empty list covers every value, also an absent one. */
const covers = <T>(wanted: readonly T[], value: T | undefined): boolean =>
  wanted.length === 0 || (value !== undefined && wanted.includes(value))

const precision = ({ applies_to }: SlaPolicy): number =>
  Object.values(applies_to).filter((wanted) => wanted.length > 0).length

/** Time that counts until each clock of the policy has run out (ms). */
export const targetsOf = ({ first_response_minutes, resolution_minutes }: SlaPolicy) => ({
  first_response: first_response_minutes * MINUTE_MS,
  resolution: resolution_minutes * MINUTE_MS,
})

const HOUR = 60
const DAY = 24 * HOUR

const ESCALATIONS: SlaPolicy['escalations'] = [
  { after_percent: 80, action: 'notify' },
  { after_percent: 100, action: 'raise_priority' },
  { after_percent: 150, action: 'reassign' },
]

/** Where people wait for the work. */
const WITH_ALERT: SlaPolicy['escalations'] = [...ESCALATIONS, { after_percent: 200, action: 'alert' }]

const EVERYTHING = { kinds: [], priorities: [], tiers: [] } satisfies SlaPolicy['applies_to']

/** In the order in which equals are taken. */
export const SLA_POLICIES: readonly SlaPolicy[] = [
  {
    id: 'sla_approvals-hard',
    name: 'approvals-hard',
    applies_to: { ...EVERYTHING, kinds: ['approval'], tiers: ['HARD'] },
    first_response_minutes: 30,
    resolution_minutes: 4 * HOUR,
    escalations: WITH_ALERT,
    is_default: false,
  },
  {
    id: 'sla_approvals-urgent',
    name: 'approvals-urgent',
    applies_to: { ...EVERYTHING, kinds: ['approval'], priorities: ['urgent'] },
    first_response_minutes: 10,
    resolution_minutes: HOUR,
    escalations: WITH_ALERT,
    is_default: false,
  },
  {
    // The steps of an incident of severity sev1 are urgent.
    id: 'sla_incidents-sev1',
    name: 'incidents-sev1',
    applies_to: { ...EVERYTHING, kinds: ['incident_step'], priorities: ['urgent'] },
    first_response_minutes: 5,
    resolution_minutes: 4 * HOUR,
    escalations: WITH_ALERT,
    is_default: false,
  },
  {
    id: 'sla_compliance-remediation',
    name: 'compliance-remediation',
    applies_to: { ...EVERYTHING, kinds: ['remediation'] },
    first_response_minutes: DAY,
    resolution_minutes: 7 * DAY,
    escalations: ESCALATIONS,
    is_default: false,
  },
  {
    id: 'sla_default',
    name: 'default',
    applies_to: EVERYTHING,
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
