// Makes a policy of a template and its parameters.
import * as z from 'zod'
import { closest } from '../governance/conditions/hints.ts'
import { maybe } from '../governance/rule-terms.ts'
import { PolicyBody } from '../governance/policy.ts'
import type { Json } from '../../base/lib/json.ts'
import { Failure, type Violation } from '../../base/lib/failure.ts'
import { type Parameter, type Template, TEMPLATES } from './templates.ts'

const value = z.union([
  z.string().max(256),
  z.number(),
  z.array(z.string().max(256)).max(200),
  z.array(z.number()).max(200),
])

/** In the place of the content of a policy. `name` and `mode` are those of the template unless they are given. */
export const FromTemplate = z.strictObject({
  name: maybe(PolicyBody.shape.name).describe('A name for people.'),
  mode: maybe(z.enum(['enforce', 'shadow'])).describe('`shadow` only reports what the policy would do.'),
  template: z
    .strictObject({
      template_id: z.string().max(64).describe('Id of the template.'),
      parameters: maybe(z.record(z.string().max(64), value)).describe(
        'A value for each parameter that has no default, and for those that shall differ from it.',
      ),
    })
    .describe('A template to fill in, in the place of the content of a policy.'),
})
export type FromTemplate = z.output<typeof FromTemplate>

type Values = Readonly<Record<string, Json>>

/** Throws 422 for an unknown template, and for parameters that are missing, unknown or of another type. */
export function fromTemplate({ template: { template_id, parameters = {} }, ...own }: FromTemplate): PolicyBody {
  const template = TEMPLATES.find((one) => one.template_id === template_id)
  if (!template) throw refused([['template_id'], `is no template${meant(template_id, idsOf(TEMPLATES))}`])
  const problems = parameterProblems(template, parameters)
  if (problems.length > 0) throw refused(...problems)
  const given = Object.fromEntries(
    template.parameters.map(({ name, default: otherwise }) => [name, parameters[name] ?? otherwise ?? null]),
  )
  const kept = Object.entries(own).filter(([, member]) => member !== undefined)
  const parsed = PolicyBody.safeParse({ ...(filled(template.policy, given) as object), ...Object.fromEntries(kept) })
  if (parsed.success) return parsed.data
  throw refused(
    ...parsed.error.issues.map(({ path, message }): Problem => [['parameters'], `${path.join('.')}: ${message}`]),
  )
}

type Problem = [place: string[], message: string]

const refused = (...problems: Problem[]) =>
  new Failure(
    'invalid',
    problems.map(([place, msg]): Violation => ({ loc: ['body', 'template', ...place], msg, type: 'value_error' })),
  )

const idsOf = (templates: readonly Template[]) => templates.map(({ template_id }) => template_id)

function meant(name: string, names: readonly string[]): string {
  const guess = closest(name, names)
  return guess ? `; did you mean ${guess}?` : ''
}

const TYPES: Record<Parameter['type'], { words: string; schema: z.ZodType }> = {
  number: { words: 'a number', schema: z.number() },
  text: { words: 'a text', schema: z.string().min(1) },
  texts: { words: 'a list of texts', schema: z.array(z.string().min(1)) },
  numbers: { words: 'a list of numbers', schema: z.array(z.number()) },
}

function parameterProblems({ parameters }: Template, given: Values): Problem[] {
  const names = parameters.map(({ name }) => name)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  return [
    ...unknown.map((name): Problem => [['parameters', name], `is no parameter of the template${meant(name, names)}`]),
    ...parameters.flatMap(({ name, type, default: otherwise }): Problem[] => {
      const at = ['parameters', name]
      if (given[name] === undefined) return otherwise === undefined ? [[at, `is required: ${TYPES[type].words}`]] : []
      return TYPES[type].schema.safeParse(given[name]).success ? [] : [[at, `must be ${TYPES[type].words}`]]
    }),
  ]
}

/** Whole values only, so that a parameter cannot become another part of the policy. */
function filled(part: Json, values: Values): Json {
  if (typeof part === 'string') {
    const [, name] = /^\{\{(\w+)\}\}$/.exec(part) ?? []
    return name === undefined ? part : (values[name] ?? null)
  }
  if (Array.isArray(part)) return part.map((item) => filled(item, values))
  if (part === null || typeof part !== 'object') return part
  return Object.fromEntries(Object.entries(part).map(([name, item]) => [name, filled(item ?? null, values)]))
}
