// Describes one route as an operation of the document: access, parameters, body, answers and recorded evidence.
import * as z from 'zod'
import { DOCUMENT_HOSTS } from '../../shared/base/wire/site.ts'
import { ListQuery } from '../../shared/base/wire/pagination.ts'
import type { Route } from '../../shared/base/wire/route.ts'
import { takesIdempotencyKey } from '../../shared/edge/validate.ts'
import { extensionsOf, factsOf, securityOf } from './access.ts'
import { answersOf } from './answers.ts'
import { codeSamplesOf } from './code-samples.ts'
import { variablesOf } from './examples.ts'
import { type JsonSchema, OBJECT, schemaOf } from './json-schema.ts'
import type { Operation, Schemas } from './schemas.ts'

export function describeOperation(operation: Operation, schemas: Schemas): JsonSchema {
  const { route, shapes, example } = operation
  const [summary = '', ...more] = route.summary.split(/(?<=\.) /)
  const parameters = parametersOf(operation)
  return {
    operationId: route.id,
    tags: [route.area],
    summary: summary.replace(/\.$/, ''),
    description: [...more, ...factsOf(route)].join('\n\n'),
    ...(route.host === 'app' && { servers: [SERVERS.app] }),
    security: securityOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.raw && {
      requestBody: { required: true, content: { 'application/json': { schema: OBJECT, example: {} } } },
    }),
    ...(shapes.body && { requestBody: requestOf(route, shapes.body, schemas, example?.body) }),
    responses: answersOf(operation, schemas),
    ...extensionsOf(route),
    ...samplesOf(operation),
  }
}

function samplesOf({ route, shapes, example, places }: Operation): JsonSchema {
  const path = Object.fromEntries(variablesOf(route.path, places).map((variable) => [variable.name, variable.example]))
  const samples = codeSamplesOf({ route, path, query: requiredQuery(shapes.query), body: example?.body })
  return samples.length > 0 ? { 'x-codeSamples': samples } : {}
}

/** A value for each query parameter that has to be there. */
function requiredQuery(query: z.ZodType | undefined): Record<string, string> {
  if (!(query instanceof z.ZodObject)) return {}
  const required = Object.entries(query.shape).filter(([, shape]) => !z.safeParse(shape, undefined).success)
  return Object.fromEntries(
    required.map(([name, shape]) => [name, exampleOf(shape) ?? firstOf(schemaOf(shape, 'input'))]),
  )
}

/** Read from the shape, because zod leaves examples of transformed values out of its schema. */
function exampleOf(shape: z.core.$ZodType): string | undefined {
  const { examples } = z.globalRegistry.get(shape) ?? {}
  const [first] = Array.isArray(examples) ? examples : []
  if (typeof first === 'string') return first
  return shape instanceof z.ZodOptional ? exampleOf(shape.unwrap()) : undefined
}

const firstOf = ({ enum: values, const: only }: JsonSchema): string =>
  String(only ?? (Array.isArray(values) ? values[0] : ''))

export const SERVERS = {
  api: { url: DOCUMENT_HOSTS.api, description: 'The API host.' },
  app: { url: DOCUMENT_HOSTS.app, description: 'The application host.' },
}

function requestOf(route: Route, body: z.ZodType, schemas: Schemas, example?: object): JsonSchema {
  return {
    required: !body.safeParse({}).success,
    content: {
      [route.form ? 'application/x-www-form-urlencoded' : 'application/json']: {
        schema: schemas.input(body),
        ...(example && { example }),
      },
    },
  }
}

const parameterRef = (name: string) => ({ $ref: `#/components/parameters/${name}` })
const PATH_VALUE = { type: 'string', pattern: '^[A-Za-z0-9._~:@-]{1,128}$' }

function parametersOf({ route, shapes, places }: Operation): JsonSchema[] {
  const variables = variablesOf(route.path, places)
  return [
    ...variables.map((variable) => ({ ...variable, in: 'path', required: true, schema: PATH_VALUE })),
    ...queryOf(route, shapes.query),
    ...(takesIdempotencyKey(route) ? [parameterRef('IdempotencyKey')] : []),
    ...(shapes.versioned ? [parameterRef(route.method === 'GET' ? 'IfNoneMatch' : 'IfMatch')] : []),
  ]
}

/** Parameters of lists, as references to shared descriptions. */
const PAGING = new Map<unknown, string>([
  [ListQuery.shape.limit, 'Limit'],
  [ListQuery.shape.cursor, 'Cursor'],
  [ListQuery.shape.offset, 'Offset'],
])

function queryOf({ id }: Route, query: z.ZodType | undefined): JsonSchema[] {
  if (!query) return []
  if (!(query instanceof z.ZodObject)) throw new Error(`the query of ${id} is not an object`)
  return Object.entries(query.shape).map(([name, shape]) => {
    const common = PAGING.get(shape)
    if (common) return parameterRef(common)
    const { description = '', examples: _, ...schema } = schemaOf(shape, 'input')
    const example = exampleOf(shape)
    return {
      name,
      in: 'query',
      description,
      required: !z.safeParse(shape, undefined).success,
      schema,
      ...(example && { example }),
    }
  })
}
