// Generates the source of the client from the OpenAPI document: a type per schema, and input and answers per operation.
import type { JsonSchema } from '../openapi/json-schema.ts'
import { nameOf, typeOf } from './types.ts'

type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema?: unknown }
type Content = { content?: Record<string, { schema?: unknown }> }
type Operation = {
  operationId: string
  summary: string
  servers?: unknown[]
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content & { $ref?: string }>
}
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: Record<'schemas' | 'parameters' | 'responses', JsonSchema>
}
type Located = { path: string; method: string; operation: Operation }

/** The source of a module that exports `createClient` and all types of the document. */
export function clientSource(document: JsonSchema): string {
  const { paths, components } = document as Document // our own document, which a test checks against OpenAPI
  const all = Object.entries(paths)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })))
    .filter(({ operation }) => !isStream(operation))
  const types = Object.entries(components.schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema)}`)
  return [
    "import { type Call, caller, type Options, type Place } from './runtime.ts'",
    "export type { Call, Options, Place, Reply } from './runtime.ts'",
    ...types,
    `export type Operations = {\n${all.map((one) => shapeOf(one, components)).join('\n')}\n}`,
    `const PLACES: Record<keyof Operations, Place> = {\n${all.map(placeOf).join('\n')}\n}`,
    '/** Calls operations by their ids. */',
    'export const createClient = (options: Options): Call<Operations> => caller<Operations>(PLACES, options)',
    '',
  ].join('\n\n')
}

const FORM = 'application/x-www-form-urlencoded'

/** Event streams are left out, because one call cannot read them. */
const isStream = ({ responses }: Operation) =>
  Object.values(responses).some(({ content }) => content && 'text/event-stream' in content)

function placeOf({ path, method, operation }: Located): string {
  const app = operation.servers ? ', app: true' : ''
  const form = FORM in (operation.requestBody?.content ?? {}) ? ', form: true' : ''
  return `  ${nameOf(operation.operationId)}: { method: '${method.toUpperCase()}', path: '${path}'${app}${form} },`
}

function shapeOf({ operation }: Located, components: Document['components']): string {
  const { operationId, summary, parameters = [], requestBody } = operation
  const resolved = parameters.map((one) => resolve(one, components.parameters))
  const body = requestBody && `body${requestBody.required ? '' : '?'}: ${contentType(requestBody)}`
  const input = [parametersType('params', 'path', resolved), parametersType('query', 'query', resolved), body]
  const answers = Object.entries(operation.responses).map(
    ([status, answer]) => `${status}: ${contentType(resolve(answer, components.responses))}`,
  )
  const type = (members: readonly (string | undefined)[]) => `{ ${members.filter((one) => one).join('; ')} }`
  return `  /** ${summary} */\n  ${nameOf(operationId)}: { input: ${type(input)}; answers: ${type(answers)} }`
}

function parametersType(member: string, place: string, parameters: readonly Parameter[]): string | undefined {
  const mine = parameters.filter((one) => one.in === place)
  if (mine.length === 0) return undefined
  const types = mine.map(({ name, required, schema }) => `${nameOf(name)}${required ? '' : '?'}: ${typeOf(schema)}`)
  return `${member}${mine.some(({ required }) => required) ? '' : '?'}: { ${types.join('; ')} }`
}

function contentType({ content }: Content): string {
  if (!content) return 'undefined'
  const [, typed] = Object.entries(content).find(([type]) => type === FORM || /[/+]json$/.test(type)) ?? []
  return typed ? typeOf(typed.schema) : 'string'
}

function resolve<T extends { $ref?: string }>(value: T, components: JsonSchema): T {
  const name = value.$ref?.split('/').at(-1)
  return name === undefined ? value : (components[name] as T) // a reference has the type of its target
}
