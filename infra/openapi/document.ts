// The OpenAPI document for people and client generators, made from the rows and the shapes of their handlers. API Gateway
// imports another, smaller document: see openapi.ts.
import { API_VERSION } from '../../shared/base/catalog/event-types.ts'
import type { Shapes } from '../../shared/base/wire/call.ts'
import { LIMIT_DEFAULT, LIMIT_MAX } from '../../shared/base/wire/pagination.ts'
import type { Route } from '../../shared/base/wire/route.ts'
import { RESPONSES } from './answers.ts'
import { loadExamples, loadVariables } from './examples.ts'
import { HEADERS } from './headers.ts'
import { INTRO } from './intro.ts'
import type { JsonSchema } from './json-schema.ts'
import { describeOperation, SERVERS } from './operation.ts'
import { Problem, ProblemDetails } from './problem.ts'
import { describeSchemas, type Operation, type Schemas } from './schemas.ts'
import { describeTags } from './tags.ts'
import { describeWebhooks, EVENT_DATA, EventEnvelope, HEADERS as DELIVERY_HEADERS } from './webhooks.ts'
import { sourceOf, SURFACE } from '../surface.ts'

/** OpenAPI 3.1.1. Deterministic. */
export async function openapiDocument(routes: readonly Route[] = SURFACE.routes): Promise<JsonSchema> {
  const [examples, variables] = await Promise.all([loadExamples(routes), loadVariables(routes)])
  const loaded = await Promise.all(oncePerPath(routes).map(loadOperation))
  const operations = loaded.map((operation) => ({
    ...operation,
    example: examples[operation.route.id],
    places: variables[operation.route.area],
  }))
  const schemas = describeSchemas(operations, { Problem, ProblemDetails, EventEnvelope, ...EVENT_DATA })
  return {
    openapi: '3.1.1',
    info: {
      title: 'Countersign API',
      version: API_VERSION,
      description: INTRO,
      contact: { name: 'Countersign' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [SERVERS.api],
    tags: describeTags(routes),
    paths: pathsOf(operations, schemas),
    webhooks: describeWebhooks(schemas),
    components: {
      schemas: schemas.components,
      responses: RESPONSES,
      parameters: { ...PARAMETERS, ...DELIVERY_HEADERS },
      headers: HEADERS,
      securitySchemes: SECURITY,
    },
  }
}

/** Drops the second route of a path that both hosts serve differently, because a document has each path once. */
export const oncePerPath = (routes: readonly Route[]): Route[] =>
  routes.filter(({ method, path }, index) => {
    const first = routes.findIndex((route) => route.method === method && route.path === path)
    return first === index
  })

/** A route with the shapes of its handler file. */
export async function loadOperation(route: Route): Promise<Operation> {
  const source = new URL(`../../${sourceOf(route)}`, import.meta.url)
  const { shapes } = (await import(source.href)) as { shapes: Shapes } // each row has its file (architecture test)
  return { route, shapes }
}

function pathsOf(operations: readonly Operation[], schemas: Schemas): Record<string, JsonSchema> {
  const paths: Record<string, JsonSchema> = {}
  for (const operation of operations) {
    const { method, path } = operation.route
    const methods = (paths[path] ??= {})
    methods[method.toLowerCase()] = describeOperation(operation, schemas)
  }
  return paths
}

const query = (name: string, description: string, schema: JsonSchema) => ({ name, in: 'query', description, schema })

const PARAMETERS = {
  Limit: query('limit', 'Items per page. A larger value is lowered to the maximum.', {
    type: 'integer',
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
  }),
  Cursor: query('cursor', 'The `next_cursor` of the previous page.', { type: 'string' }),
  Offset: query('offset', 'Items to skip, instead of a cursor.', { type: 'integer', minimum: 0, maximum: 10_000 }),
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The tag of the version that the change is meant for. If the current version is another one, the answer is 409.',
    schema: { type: 'string', examples: ['"v3"'] },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Tags of versions that you have. If the current version is among them, the answer is 304.',
    schema: { type: 'string', examples: ['"v3"'] },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A repeat by the same caller with the same key and body gets the first answer again. Keys are kept for 24 hours.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
}

const SECURITY = {
  ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
  Bearer: { type: 'http', scheme: 'bearer', description: 'An API key, or the access token of a signed-in person.' },
}
