// Checks payloads against the input schema of an action (JSON Schema 2020-12). The only file that loads ajv, so that the
// functions which check nothing do not carry it.
import { Ajv2020, type ErrorObject, str, type ValidateFunction } from 'ajv/dist/2020.js'
import { canonicalJson, isMultiple } from '../../base/lib/json.ts'
import type { Violation } from '../../base/lib/failure.ts'

type Schema = Record<string, unknown>
type Loc = (string | number)[]

/** Checks one payload; no violation means that it fits. At most one is reported, because the others may follow from it. */
export type PayloadCheck = (payload: unknown) => Violation[]

const ajv = new Ajv2020({
  strict: false,
  logger: false,
  ownProperties: true,
  inlineRefs: false,
  validateFormats: false,
  addUsedSchema: false,
  validateSchema: false, // done at registration: the rules of schemas alone take 30 ms to compile
})

// ajv compares every two elements; this comparison grows with the list alone.
ajv.removeKeyword('uniqueItems')
ajv.addKeyword({
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  compile: (isOn: boolean) => (items: unknown[]) => !isOn || new Set(items.map(canonicalJson)).size === items.length,
})

// ajv divides binary fractions, by which 19.99 is no multiple of 0.01. JSON writes decimals, so decimals are divided.
ajv.removeKeyword('multipleOf')
ajv.addKeyword({
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  compile: (of: number) => (value: number) => isMultiple(value, of),
  error: { message: ({ schema }) => str`must be multiple of ${schema}` },
})

/** What is wrong with a schema that passed the limits; `loc` is its place in the request. */
export function schemaViolations(schema: Schema, loc: Loc): Violation[] {
  const { $schema: _, ...rest } = schema // only dialects pass the limits in which the rest means the same
  if (ajv.validateSchema(rest) !== true) {
    const [error] = ajv.errors ?? []
    return [
      { loc: [...loc, ...stepsOf(error?.instancePath ?? '', schema)], msg: messageOf(error), type: 'value_error' },
    ]
  }
  try {
    compile(schema)
    return []
  } catch {
    return [{ loc, msg: 'is not a usable JSON schema', type: 'value_error' }]
  }
}

const messageOf = (error: ErrorObject | undefined) => error?.message ?? 'is not a valid JSON schema'

function compile(schema: Schema): ValidateFunction {
  const validate = ajv.compile(schema)
  ajv.removeSchema(schema) // ajv would keep it for ever
  return validate
}

/** The steps of a JSON pointer, with numbers where it steps into a list. */
function stepsOf(pointer: string, document: unknown): Loc {
  let at = document
  return pointer
    .split('/')
    .slice(1)
    .map((step) => {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
      const key = Array.isArray(at) ? Number(name) : name
      at = typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined
      return key
    })
}

/** ajv's messages name rules, never values. */
function violationOf({ keyword, params, instancePath, message }: ErrorObject, payload: unknown): Violation {
  const loc = ['body', 'payload', ...stepsOf(instancePath, payload)]
  const { missingProperty, additionalProperty, unevaluatedProperty } = params
  const extra = additionalProperty ?? unevaluatedProperty
  if (keyword === 'required') return { loc: [...loc, String(missingProperty)], msg: 'field required', type: 'missing' }
  if (extra !== undefined) return { loc: [...loc, String(extra)], msg: 'unknown field', type: 'extra_forbidden' }
  return {
    loc,
    msg: message ?? 'does not fit the input schema',
    type: keyword === 'type' ? 'type_error' : 'value_error',
  }
}

/** Compiles a schema that was registered, so one that is known to compile. */
export function payloadCheck(schema: Schema): PayloadCheck {
  const validate = compile(schema)
  return (payload) => {
    if (validate(payload)) return []
    return (validate.errors ?? []).slice(-1).map((error) => violationOf(error, payload))
  }
}

/** Keeps the most recently used checks; `key` names one action of one immutable manifest version. */
export function payloadChecks(limit = 100): (key: string, schema: Schema) => PayloadCheck {
  const checks = new Map<string, PayloadCheck>()
  return (key, schema) => {
    const check = checks.get(key) ?? payloadCheck(schema)
    checks.delete(key)
    checks.set(key, check)
    const [oldest] = checks.keys()
    if (checks.size > limit && oldest !== undefined) checks.delete(oldest)
    return check
  }
}

/** Compiled schemas of this container, by manifest version and action. */
const checks = payloadChecks()

export const checkPayload = (key: string, schema: Record<string, unknown>, payload: unknown) =>
  checks(key, schema)(payload)
