// The schemas of conditions, made from the tables of facts and operators: one for each type of field, so that a client knows which
// operators and values go with which field.
import { FACTS, type FactType } from '../../shared/govern/governance/conditions/fact-list.ts'
import { FOLDED_OPS, OPS_OF } from '../../shared/govern/governance/conditions/operators.ts'
import { FACT_WORDS, TYPE_WORDS } from '../../shared/govern/policies/reference.ts'
import { TIERS } from '../../shared/base/catalog/kinds.ts'
import type { JsonSchema } from './json-schema.ts'

export const CONDITION_REF = { $ref: '#/components/schemas/Condition' }

const TYPES = Object.keys(OPS_OF) as FactType[]
const nameOf = (type: FactType) => `${type.charAt(0).toUpperCase()}${type.slice(1)}Comparison`

const LIST_MAX = 200
const listOf = (items: JsonSchema, most = LIST_MAX): JsonSchema => ({
  type: 'array',
  items,
  minItems: 1,
  maxItems: most,
})
const oneOrList = (one: JsonSchema): JsonSchema => ({ anyOf: [one, listOf(one)] })

const TEXT = { type: 'string', maxLength: 256 }
const NUMBER = { type: 'number' }
const BOOLEAN = { type: 'boolean' }

const HOURS: JsonSchema = {
  type: 'object',
  properties: {
    zone: { type: 'string', description: '`UTC`, or a time zone such as `Europe/Berlin`.' },
    days: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 7 }, description: 'Weekdays; Monday is 1.' },
    from: { type: 'string', description: 'From this local time on, as `08:00`.' },
    to: { type: 'string', description: 'Up to this local time, as `18:00`, exclusive; `24:00` is the end of the day.' },
    except: { type: 'array', items: { type: 'string' }, description: 'Calendars on whose dates it is never within.' },
    only: {
      type: 'array',
      items: { type: 'string' },
      description: 'Calendars whose dates count whatever their weekday.',
    },
  },
  required: ['zone', 'days', 'from', 'to'],
  additionalProperties: false,
}

const VALUE_OF: Record<FactType, JsonSchema> = {
  string: oneOrList(TEXT),
  enum: oneOrList(TEXT),
  number: oneOrList(NUMBER),
  tier: oneOrList({ type: 'string', enum: [...TIERS] }),
  boolean: BOOLEAN,
  ip: oneOrList(TEXT),
  time: HOURS,
  list: oneOrList(TEXT),
  hosts: oneOrList(TEXT),
  any: oneOrList({ anyOf: [TEXT, NUMBER, BOOLEAN] }),
}

const FOLDED: readonly FactType[] = ['string', 'enum', 'list', 'any']

/** Comparisons of the fields of one type. */
function comparison(type: FactType): JsonSchema {
  const facts = Object.entries(FACTS).filter(([, fact]) => fact.type === type)
  const fields = facts.map(([name]) => name)
  const ops = type === 'any' ? [...OPS_OF.any, 'exists'] : OPS_OF[type]
  const field =
    type === 'any'
      ? {
          type: 'string',
          pattern: '^(payload[.]/|context[.][^.])',
          description:
            '`payload.<JSON pointer>`, in which one `*` matches every element of a list, or `context.<name>`, which the caller declares.',
        }
      : { type: 'string', enum: fields, description: wordsFor(fields) }
  return {
    type: 'object',
    description: `Compares a ${TYPE_WORDS[type].name}.`,
    properties: {
      field,
      op: { type: 'string', enum: ops, description: 'How the field is compared.' },
      value: { ...VALUE_OF[type], description: `What it is compared with: ${TYPE_WORDS[type].value}.` },
      ...(FOLDED.includes(type) &&
        ops.some((op) => FOLDED_OPS.some((folded) => folded === op)) && {
          ignore_case: { ...BOOLEAN, description: 'Whether upper and lower case are the same.' },
        }),
      ...(type === 'number' && {
        currency: {
          type: 'string',
          description: 'Only of `signals.amount`: the comparison is unknown for other currencies.',
        },
      }),
    },
    required: type === 'any' ? ['field', 'op'] : ['field', 'op', 'value'],
    additionalProperties: false,
  }
}

const wordsFor = (fields: readonly string[]): string =>
  fields.map((field) => `\`${field}\`: ${FACT_WORDS[field as keyof typeof FACT_WORDS]}.`).join('\n')

const combination = (name: string, description: string, schema: JsonSchema): JsonSchema => ({
  type: 'object',
  description,
  properties: { [name]: { ...schema, description } },
  required: [name],
  additionalProperties: false,
})

/** By the names that they have in the document. */
export function conditionSchemas(): Record<string, JsonSchema> {
  const parts = listOf(CONDITION_REF)
  const combinations = {
    AllOfConditions: combination('all', 'True where each of these is.', parts),
    AnyOfConditions: combination('any', 'True where at least one of these is.', parts),
    NoCondition: combination('not', 'True where this is false.', { allOf: [CONDITION_REF] }),
  }
  const comparisons = Object.fromEntries(TYPES.map((type) => [nameOf(type), comparison(type)]))
  const all = { ...comparisons, ...combinations }
  const Condition = {
    description:
      'A comparison of a field, or a combination of conditions: at most 6 levels, and 64 nodes in `when` and `unless` together.',
    oneOf: Object.keys(all).map((name) => ({ $ref: `#/components/schemas/${name}` })),
  }
  return { Condition, ...all }
}
