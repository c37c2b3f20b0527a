// The reference of the facts and operators of policies, as Markdown and as words of the OpenAPI document. It is made from the tables
// of facts and operators, so a fact without words does not compile.
import { type FactName, FACTS, type FactType } from '../governance/conditions/fact-list.ts'
import { FOLDED_OPS, OPS, OPS_OF, type Op } from '../governance/conditions/operators.ts'
import type { PolicyBody } from '../governance/policy.ts'

export const FACT_WORDS: Record<FactName, string> = {
  'action.id': 'name of the action in its manifest',
  'action.kind': 'what the action does, by its name, description and payload',
  'action.base_tier': 'tier before policies, trust and models',
  'action.risk': 'score from 0 to 100',
  'action.confidence': 'from 0 to 1: how sure the kind is',
  'action.reversible': 'the manifest names an undo action, and does not call it irreversible',
  'action.idempotent': 'the manifest says that a repeat changes nothing',
  'target.host': 'host that the action is carried out at; unknown where the service calls nothing',
  'target.method': 'method of that call',
  'node.id': 'id of the node',
  'node.category': 'category of the node',
  'node.owner': 'owner of the node',
  'node.version': 'version of the manifest',
  'node.listing_tier': 'where the node is listed',
  'node.environment':
    'where the node runs, as its manifest says; known once a person who may write policies has registered it',
  'principal.type': 'what calls: a person, a key or an OAuth client; unknown for a client that acts for a person',
  'principal.id': 'id of the person, key or client',
  'principal.roles': 'roles of the caller',
  'agent.id': 'the agent that is bound to the credential',
  'agent.bound': 'an agent is bound to the credential',
  'agent.trust': 'from 0 to 100, by the conduct of the agent, key or client',
  'agent.executions': 'actions that it has run so far',
  'agent.hours_known': 'hours since its first action',
  'request.tier': 'tier that the caller asks for',
  'request.require_approval': 'the caller asks for approval',
  'request.persona_key': 'persona of the request',
  'request.decision_contract_id': 'number that the caller gives',
  'request.ip': 'address of the caller',
  'request.country': 'country of the address, by ISO 3166-1, such as `DE`',
  'request.allow_listed': 'a rule of the allow-list of the tenant names the address',
  'request.time': 'time of the request',
  'request.hour_utc': 'hour from 0 to 23, UTC',
  'request.weekday_utc': 'from 1 (Monday) to 7, UTC',
  'request.repeated':
    'seconds since the same request of the same person ran or, while it waits, was made; only requests that people were asked about, and 86400 where there was none within 24 hours',
  'request.refused':
    'seconds since people rejected the same request of the same person; 86400 where they did not within 24 hours',
  'signals.amount': 'largest amount of money in the payload, without sign',
  'signals.currency': 'the currency in the payload, where it names one alone',
  'signals.recipients': 'how many people or addresses the payload names as recipients',
  'signals.recipient_domains': 'hosts of all recipients; a phone number counts as `tel`',
  'signals.external_domains': 'those of them that are outside the domains of the tenant',
  'signals.url_hosts': 'hosts of all links in texts of the payload',
  'signals.bulk_count': 'length of the longest list in the payload',
  'signals.wildcard': 'the payload selects everything, as `*` does',
  'signals.sql_write': 'the payload holds SQL that may write',
  'signals.shell': 'the payload holds a command or a program',
  'signals.secrets': 'the payload holds a secret',
  'signals.pii': 'types of personal data in the payload',
  'tenant.plan': 'plan of the tenant',
}

export const OPERATOR_WORDS: Record<Op, string> = {
  eq: 'is the value',
  ne: 'is not the value',
  in: 'is one of the values',
  not_in: 'is none of the values',
  starts_with: 'begins with the value',
  ends_with: 'ends with the value',
  contains: 'the text contains the value; the list has it',
  glob: 'matches the pattern, in which `*` stops at a dot and `**` does not',
  gt: 'is greater',
  gte: 'is greater or equal',
  lt: 'is less',
  lte: 'is less or equal',
  between: 'is between two values, both included',
  any_in: 'at least one member is among the values',
  none_in: 'no member is among the values',
  all_in: 'every member is among the values, also where there are none',
  domain_in: 'every host is one of these domains or below one',
  any_domain_in: 'at least one host is one of these domains or below one',
  cidr_in: 'is in one of the address ranges',
  within: 'is within these hours',
  exists: 'the payload has it, also as null; with the value `false`: it has not',
}

/** How the types are called, and what a condition compares them with. */
export const TYPE_WORDS: Record<FactType, { name: string; value: string }> = {
  string: { name: 'text', value: 'a text; a list for `in`, `not_in`' },
  enum: { name: 'name', value: 'one of its names; a list for `in`, `not_in`' },
  number: { name: 'number', value: 'a number; two for `between`; a list for `in`, `not_in`' },
  tier: {
    name: 'tier',
    value: '`AUTO`, `SOFT` or `HARD`, in this order; two for `between`; a list for `in`, `not_in`',
  },
  boolean: { name: 'boolean', value: '`true` or `false`' },
  ip: { name: 'address', value: 'a range such as `10.0.0.0/8`, or a list' },
  time: { name: 'time', value: 'working hours' },
  list: { name: 'list', value: 'a list of texts; a text for `contains`' },
  hosts: { name: 'hosts', value: 'a list of texts; a text for `contains`' },
  any: { name: 'anything', value: 'as for the type that it has' },
}

export const EFFECT_WORDS: Record<PolicyBody['effect'], string> = {
  forbid: 'rejects the action with a 403',
  require_approval: 'holds the action until the `stages` of `approval` have agreed',
  min_tier: 'raises the tier to at least `tier`',
  require_undo: 'holds a SOFT action that names no undo action',
  relax_to:
    'lowers the tier to `tier`, never below the class floor of its kind. Needs `when`, which may not read `context.*`, use `exists` or depend on history',
}

const GROUPS: [form: string, words: string][] = [
  ['any', 'everybody who may decide on approvals'],
  ['role:<name>', 'everybody with this role, built in or of the tenant'],
  ['user:<id>', 'this person'],
  [
    'group:<id or name>',
    'members of this directory group. Its id is stored; `group_names` of the answer shows its name',
  ],
  ['key:<id>', 'this API key, where the tenant lets keys decide'],
]

const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${heads.join(' | ')} |`,
    `|${heads.map(() => '---').join('|')}|`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n')

const code = (text: string) => `\`${text}\``
const codes = (all: readonly string[]) => all.map(code).join(', ')

type Row = { type: FactType; values?: readonly string[]; optional?: true }

function factRows(): string[][] {
  const rows: [string, Row][] = Object.entries(FACTS)
  return rows.map(([name, { type, values, optional }]) => [
    code(name),
    TYPE_WORDS[type].name,
    `${FACT_WORDS[name as FactName]}${values && type !== 'tier' ? `: ${codes(values)}` : ''}`,
    optional ? 'no' : 'yes',
  ])
}

const OPEN = [
  [code('payload.<JSON pointer>'), 'anything', 'a value of the payload; one `*` matches every element of a list', 'no'],
  [code('context.<name>'), 'anything', 'a scalar that the caller declares in `policy_context.context`', 'no'],
]

const typesOf = (op: Op) =>
  Object.entries(OPS_OF)
    .filter(([type, ops]) => type !== 'any' && ops.includes(op))
    .map(([type]) => TYPE_WORDS[type as FactType].name)

/** The part of the page that is made. */
export function reference(): string {
  return [
    '#### Effects\n',
    table(
      ['Effect', 'Does'],
      Object.entries(EFFECT_WORDS).map(([name, words]) => [code(name), words]),
    ),
    '\n#### Groups of approvers\n',
    table(
      ['Group', 'Who'],
      GROUPS.map(([form, words]) => [code(form), words]),
    ),
    '\n#### Facts\n',
    table(['Field', 'Type', 'Means', 'Always there'], [...factRows(), ...OPEN]),
    '\n#### Operators\n',
    table(
      ['Operator', 'Holds when the fact', 'For', '`ignore_case`'],
      OPS.map((op) => [
        code(op),
        OPERATOR_WORDS[op],
        op === 'exists' ? 'fields of the payload' : typesOf(op).join(', '),
        FOLDED_OPS.includes(op) ? 'yes' : 'no',
      ]),
    ),
    '\n#### Values\n',
    table(
      ['Type', 'Compared with'],
      Object.values(TYPE_WORDS).map(({ name, value }) => [name, value]),
    ),
  ].join('\n')
}
