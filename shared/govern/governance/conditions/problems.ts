// Checks that a value is a valid condition: its form, its fields and its operators. Each problem names its path.
import type { Path, Problem } from './condition.ts'
import { factRow, type FactType } from './fact-list.ts'
import { isHinted, unknownField, unknownMember, unknownOperator } from './hints.ts'
import { hoursProblems } from '../checks/hours-problems.ts'
import { FOLDED_OPS, type Op, OPS, OPS_OF, rangeOf, type Scalar } from './operators.ts'
import { stepsOf } from './pointer.ts'

const DEPTH_MAX = 6
const LIST_MAX = 200
const TEXT_MAX = 256

type Form = Record<string, unknown>
const isForm = (value: unknown): value is Form => typeof value === 'object' && value !== null && !Array.isArray(value)

const COMBINATIONS = ['all', 'any', 'not']
const LEAF_KEYS = ['field', 'op', 'value', 'ignore_case', 'currency']

/** The problems of a condition; none when it is valid. */
export function* conditionProblems(value: unknown, path: Path = [], depth = 1): Generator<Problem> {
  if (!isForm(value)) {
    yield { path, message: 'must be a condition' }
    return
  }
  if (depth > DEPTH_MAX) {
    yield { path, message: `must not be nested deeper than ${DEPTH_MAX}` }
    return
  }
  const keys = Object.keys(value)
  const combination = COMBINATIONS.find((name) => Object.hasOwn(value, name))
  const allowed = combination ? [combination] : LEAF_KEYS
  for (const key of keys.filter((name) => !allowed.includes(name))) {
    const message = unknownMember(key, `is not part of a condition with ${allowed.join(', ')}`)
    yield { path: [...path, key], message }
  }
  if (!combination && !Object.hasOwn(value, 'field') && keys.some(isHinted)) return
  if (!combination) yield* leafProblems(value, path)
  else if (combination === 'not') yield* conditionProblems(value['not'], [...path, 'not'], depth + 1)
  else yield* listProblems(value[combination], [...path, combination], depth)
}

function* listProblems(list: unknown, path: Path, depth: number): Generator<Problem> {
  if (!Array.isArray(list) || list.length === 0 || list.length > LIST_MAX) {
    yield { path, message: `must be a list of 1 to ${LIST_MAX} conditions` }
    return
  }
  for (const [i, part] of list.entries()) yield* conditionProblems(part, [...path, i], depth + 1)
}

const isOp = (op: unknown): op is Op => OPS.some((known) => known === op)

function* leafProblems({ field, op, value, ...options }: Form, path: Path): Generator<Problem> {
  const row = typeof field === 'string' ? factRow(field) : undefined
  if (typeof field !== 'string' || !row) {
    yield { path: [...path, 'field'], message: unknownField(field) }
    return
  }
  const pointer = field.startsWith('payload.') ? field.slice('payload.'.length) : undefined
  if (field.length > TEXT_MAX || (pointer !== undefined && !stepsOf(pointer))) {
    yield { path: [...path, 'field'], message: 'must be payload.<JSON pointer> with at most one *' }
    return
  }
  const known = pointer === undefined ? OPS_OF[row.type] : [...OPS_OF[row.type], 'exists' as const]
  if (!isOp(op) || !known.includes(op)) {
    yield { path: [...path, 'op'], message: unknownOperator(op, `must be one of ${known.join(', ')} for this field`) }
    return
  }
  yield* optionProblems({ field, op, type: row.type, ...options }, path)
  if (op === 'within') {
    yield* hoursProblems(value, [...path, 'value'])
    return
  }
  const message = valueProblem(op, value, row)
  if (message) yield { path: [...path, 'value'], message }
}

const isScalar = (value: unknown): value is Scalar =>
  (typeof value === 'string' && value.length <= TEXT_MAX) || typeof value === 'number' || typeof value === 'boolean'

/** How many values an operator takes. An operator that is not listed takes one. */
const TAKES: Partial<Record<Op, 'list' | 'pair' | 'one or a list'>> = {
  in: 'list',
  not_in: 'list',
  any_in: 'list',
  none_in: 'list',
  all_in: 'list',
  between: 'pair',
  domain_in: 'one or a list',
  any_domain_in: 'one or a list',
  cidr_in: 'one or a list',
}

function shapeProblem(op: Op, value: unknown): string | undefined {
  const takes = TAKES[op] ?? 'one'
  if (takes === 'one')
    return isScalar(value) ? undefined : `must be a text of at most ${TEXT_MAX} characters, a number or a boolean`
  if (takes === 'one or a list' && isScalar(value)) return undefined
  const wanted = takes === 'pair' ? 'two values' : `1 to ${LIST_MAX} values`
  const [least, most] = takes === 'pair' ? [2, 2] : [1, LIST_MAX]
  const fits = Array.isArray(value) && value.length >= least && value.length <= most && value.every(isScalar)
  return fits ? undefined : `must be a list of ${wanted}`
}

const TEXTUAL: ReadonlySet<Op> = new Set<Op>([
  'starts_with',
  'ends_with',
  'contains',
  'glob',
  'any_in',
  'none_in',
  'all_in',
])
const NUMERIC: ReadonlySet<Op> = new Set<Op>(['gt', 'gte', 'lt', 'lte', 'between'])

/** The type of the values that a fact is compared with. */
function wantedType(op: Op, type: FactType): 'string' | 'number' | 'boolean' | 'any' {
  if (op === 'exists' || type === 'boolean') return 'boolean'
  if (TEXTUAL.has(op) || (type !== 'number' && type !== 'any')) return 'string'
  if (op === 'domain_in' || op === 'any_domain_in' || op === 'cidr_in') return 'string'
  return NUMERIC.has(op) || type === 'number' ? 'number' : 'any'
}

function valueProblem(op: Op, value: unknown, { type, values }: { type: FactType; values?: readonly string[] }) {
  if (op === 'exists' && value === undefined) return undefined
  const shape = shapeProblem(op, value)
  if (shape) return shape
  const items: unknown[] = Array.isArray(value) ? value : [value]
  const wanted = wantedType(op, type)
  if (wanted !== 'any' && !items.every((item) => typeof item === wanted)) return `must be of type ${wanted}`
  const mustBeNamed = values !== undefined && !TEXTUAL.has(op)
  if (mustBeNamed && !items.every((item) => values.some((name) => name === item)))
    return `must be one of ${values.join(', ')}`
  const isRanges = op !== 'cidr_in' || items.every((item) => rangeOf(String(item)))
  return isRanges ? undefined : 'must be address ranges such as 10.0.0.0/8'
}

type Options = { field: string; op: Op; type: FactType; ignore_case?: unknown; currency?: unknown }

const TEXT_TYPES: readonly FactType[] = ['string', 'enum', 'list', 'any']

/** The problems of the optional members of a comparison. */
function* optionProblems({ field, op, type, ignore_case, currency }: Options, path: Path): Generator<Problem> {
  if (ignore_case !== undefined) {
    const goes = TEXT_TYPES.includes(type) && FOLDED_OPS.includes(op)
    if (!goes) yield { path: [...path, 'ignore_case'], message: 'goes with comparisons of texts only' }
    else if (typeof ignore_case !== 'boolean') yield { path: [...path, 'ignore_case'], message: 'must be a boolean' }
  }
  if (currency === undefined) return
  if (field !== 'signals.amount') yield { path: [...path, 'currency'], message: 'goes with signals.amount only' }
  else if (!isCurrency(currency))
    yield { path: [...path, 'currency'], message: 'must be an ISO 4217 currency such as EUR' }
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Whether it is a currency of ISO 4217, by its code of three capital letters. */
export const isCurrency = (code: unknown): boolean => typeof code === 'string' && CURRENCIES.has(code)
