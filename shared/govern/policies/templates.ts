// Policies that many tenants want first, to be filled in. A text `{{name}}` that is a whole value is replaced by that parameter.
import type { Json } from '../../base/lib/json.ts'
import { KIND_NAMES, KINDS } from '../../base/catalog/kinds.ts'
import { PII_TYPES } from '../../base/catalog/measure-words.ts'

export type ParameterType = 'number' | 'text' | 'texts' | 'numbers'

export type Parameter = {
  name: string
  type: ParameterType
  description: string
  /** A parameter without one is required. */
  default?: Json
}

export type Template = {
  template_id: string
  name: string
  description: string
  parameters: Parameter[]
  policy: Record<string, Json>
}

/** Kinds that do more than read. */
const ACTING = KIND_NAMES.filter((kind) => KINDS[kind].tier !== 'AUTO')

/** A message names its recipients by the others. */
const IN_CONTENT = PII_TYPES.filter((type) => type !== 'EMAIL' && type !== 'PHONE')

const required = (name: string, type: ParameterType, description: string): Parameter => ({ name, type, description })
const optional = (name: string, type: ParameterType, value: Json, description: string): Parameter => ({
  ...required(name, type, description),
  default: value,
})

const amount = required('amount', 'number', 'The largest amount that passes.')
const currency = required(
  'currency',
  'text',
  'Its ISO 4217 currency. Amounts in other currencies ask for approval, too.',
)
const group = (name = 'group') => required(name, 'text', 'Who approves, such as `role:approver` or `group:Finance`.')
const approvalOf = (...groups: string[]) => ({ stages: [{ groups, mode: groups.length > 1 ? 'each' : 'any' }] })
const above = { field: 'signals.amount', op: 'gt', value: '{{amount}}', currency: '{{currency}}' }

export const TEMPLATES: readonly Template[] = [
  {
    template_id: 'amount_approval',
    name: 'Large amounts need approval',
    description: 'Above an amount, a group approves. So it does where the amount cannot be read.',
    parameters: [
      amount,
      currency,
      group(),
      required('action_ids', 'texts', 'Globs of the actions, such as `*refund*`.'),
    ],
    policy: {
      name: 'Large amounts need approval',
      effect: 'require_approval',
      scope: { action_ids: '{{action_ids}}' },
      when: above,
      approval: approvalOf('{{group}}'),
    },
  },
  {
    template_id: 'spend_per_day',
    name: 'Spending has a limit',
    description: 'Once the payments of a window would exceed a sum, a group approves each further one.',
    parameters: [
      required('max', 'number', 'The largest sum that passes.'),
      currency,
      group(),
      optional('window', 'text', '24h', 'The sliding window, `1m` to `31d`.'),
      optional('per', 'texts', [], 'Whose sum it is, such as `agent`; none: one sum for all.'),
    ],
    policy: {
      name: 'Spending has a limit',
      effect: 'require_approval',
      scope: { action_kinds: ['payment'] },
      limit: { measure: 'sum', max: '{{max}}', window: '{{window}}', per: '{{per}}', currency: '{{currency}}' },
      approval: approvalOf('{{group}}'),
    },
  },
  {
    template_id: 'repeated_payment',
    name: 'Payments that repeat one need approval',
    description: 'A payment that repeats one of the same person within a time waits for two people of a group.',
    parameters: [group(), optional('within_s', 'number', 3_600, 'So many seconds after the first one.')],
    policy: {
      name: 'Payments that repeat one need approval',
      effect: 'require_approval',
      scope: { action_kinds: ['payment'] },
      when: { field: 'request.repeated', op: 'lte', value: '{{within_s}}' },
      approval: { stages: [{ groups: ['{{group}}'], min_approvals: 2 }] },
      message: 'The same payment was made or asked for a short while ago.',
    },
  },
  {
    template_id: 'mails_per_hour',
    name: 'E-mails have a limit',
    description: 'An agent that has sent so many e-mails in a window is refused further ones.',
    parameters: [
      optional('max', 'number', 20, 'So many e-mails pass.'),
      optional('window', 'text', '1h', 'The sliding window, `1m` to `31d`.'),
    ],
    policy: {
      name: 'E-mails have a limit',
      effect: 'forbid',
      scope: { action_kinds: ['email'] },
      limit: { measure: 'count', max: '{{max}}', window: '{{window}}', per: ['agent'] },
      message: 'Too many e-mails in a short time.',
    },
  },
  {
    template_id: 'two_groups',
    name: 'Two groups approve large payments',
    description: 'Above an amount, somebody of each of two groups approves a payment.',
    parameters: [amount, currency, group('group_a'), group('group_b')],
    policy: {
      name: 'Two groups approve large payments',
      effect: 'require_approval',
      scope: { action_kinds: ['payment'] },
      when: above,
      approval: approvalOf('{{group_a}}', '{{group_b}}'),
    },
  },
  {
    template_id: 'working_hours',
    name: 'Only in working hours',
    description: 'Outside the hours, and on the dates of the calendars, actions of these kinds are refused.',
    parameters: [
      required('zone', 'text', 'The time zone, such as `Europe/Berlin`.'),
      optional('days', 'numbers', [1, 2, 3, 4, 5], 'Weekdays; Monday is 1.'),
      required('from', 'text', 'The beginning, such as `08:00`.'),
      required('to', 'text', 'The end, such as `18:00`, exclusive.'),
      optional('calendar', 'texts', [], 'Names of calendars of holidays.'),
      optional('kinds', 'texts', ['deploy'], 'Kinds of actions.'),
    ],
    policy: {
      name: 'Only in working hours',
      effect: 'forbid',
      scope: { action_kinds: '{{kinds}}' },
      unless: {
        field: 'request.time',
        op: 'within',
        value: { zone: '{{zone}}', days: '{{days}}', from: '{{from}}', to: '{{to}}', except: '{{calendar}}' },
      },
      message: 'This runs in working hours only.',
    },
  },
  {
    template_id: 'pii_outside',
    name: 'No personal data to others',
    description: 'Refuses what holds personal data and has a recipient outside the domains of the tenant.',
    parameters: [
      optional(
        'types',
        'texts',
        IN_CONTENT,
        'Types of personal data; if you add `EMAIL` or `PHONE`, recipients count, too.',
      ),
    ],
    policy: {
      name: 'No personal data to others',
      effect: 'forbid',
      when: {
        all: [
          { field: 'signals.pii', op: 'any_in', value: '{{types}}' },
          // No host is called `invalid`, so this is true where there is any outside.
          { not: { field: 'signals.external_domains', op: 'all_in', value: ['invalid'] } },
        ],
      },
      message: 'Personal data must not leave the house.',
    },
  },
  {
    template_id: 'secret_then_out',
    name: 'Nothing leaves after a secret was read',
    description: 'For a while after somebody has read a secret, a person approves what they send to others.',
    parameters: [optional('within', 'text', '10m', 'For how long, such as `10m` or `2h`.')],
    policy: {
      name: 'Nothing leaves after a secret was read',
      effect: 'require_approval',
      scope: { action_kinds: ['email', 'message_external'] },
      after: { kinds: ['secret_read'], within: '{{within}}', per: 'agent' },
    },
  },
  {
    template_id: 'country_block',
    name: 'Not from these countries',
    description: 'Refuses requests from these countries, and those whose country is unknown.',
    parameters: [required('countries', 'texts', 'ISO 3166 countries of two letters, such as `DE`.')],
    policy: {
      name: 'Not from these countries',
      effect: 'forbid',
      when: { field: 'request.country', op: 'in', value: '{{countries}}', ignore_case: true },
    },
  },
  {
    template_id: 'production_change',
    name: 'Changes of production need approval',
    description: 'What does more than read on a node of the environment `production` needs approval.',
    parameters: [group()],
    policy: {
      name: 'Changes of production need approval',
      effect: 'require_approval',
      scope: { action_kinds: ACTING },
      when: { field: 'node.environment', op: 'eq', value: 'production' },
      approval: approvalOf('{{group}}'),
    },
  },
  {
    template_id: 'new_agent',
    name: 'New agents ask first',
    description: 'In the first hours of an agent, key or client, a person approves what does more than read.',
    parameters: [optional('hours', 'number', 72, 'Hours since its first action.')],
    policy: {
      name: 'New agents ask first',
      effect: 'min_tier',
      tier: 'HARD',
      scope: { action_kinds: ACTING },
      when: { field: 'agent.hours_known', op: 'lt', value: '{{hours}}' },
    },
  },
  {
    template_id: 'undo_or_ask',
    name: 'What cannot be undone needs approval',
    description: 'On these nodes, a SOFT action that names no undo action waits for a person.',
    parameters: [required('node_ids', 'texts', 'Globs of the nodes, such as `crm.**`.')],
    policy: {
      name: 'What cannot be undone needs approval',
      effect: 'require_undo',
      scope: { node_ids: '{{node_ids}}' },
    },
  },
  {
    template_id: 'temporary_stop',
    name: 'Stopped for now',
    description: 'Refuses all actions of these nodes until a time.',
    parameters: [
      required('node_ids', 'texts', 'Globs of the nodes, such as `crm.**`.'),
      required('until', 'text', 'Until when, ISO 8601.'),
    ],
    policy: {
      name: 'Stopped for now',
      effect: 'forbid',
      scope: { node_ids: '{{node_ids}}' },
      expires_at: '{{until}}',
      message: 'This is stopped for now.',
    },
  },
]
