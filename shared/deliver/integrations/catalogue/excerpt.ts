// Writes the OpenAPI documents of the catalogue: an operation a line.
import type { JsonMap } from '../openapi/resolve.ts'

type Schema = JsonMap
type Fields = Readonly<Record<string, Schema>>

export const text = (description?: string): Schema => ({ type: 'string', ...(description && { description }) })
export const choice = (...values: string[]): Schema => ({ type: 'string', enum: values })
export const count = (maximum?: number): Schema => ({ type: 'integer', minimum: 1, ...(maximum && { maximum }) })
export const flag: Schema = { type: 'boolean' }
export const amount: Schema = { type: 'number' }
export const list = (items: Schema): Schema => ({ type: 'array', items })
export const shape = (properties: Fields, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties: { ...properties },
  ...(required.length > 0 && { required: [...required] }),
})
/** An object whose members the provider defines. */
export const free: Schema = { type: 'object' }

export type Takes = {
  query?: Fields
  body?: Fields
  /** Of the query and the body. */
  required?: readonly string[]
  /** Sends this GraphQL document to that path; the body holds its variables. */
  graphql?: { document: string; path: string }
}

export type Excerpt = { path: string; method: string; operation: JsonMap }

/** `GET /repos/{owner}`, its id, and what it does. Variables of the path are texts. */
export function operation(
  at: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`,
  operationId: string,
  summary: string,
  { query = {}, body, required = [], graphql }: Takes = {},
): Excerpt {
  const [method = '', path = ''] = at.split(' ')
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name: name ?? '',
    in: 'path',
    required: true,
    schema: text(),
  }))
  const inQuery = Object.entries(query).map(([name, schema]) => ({
    name,
    in: 'query',
    ...(required.includes(name) && { required: true }),
    schema,
  }))
  const of = {
    operationId,
    summary,
    ...(inPath.length + inQuery.length > 0 && { parameters: [...inPath, ...inQuery] }),
    ...(graphql && { 'x-graphql': graphql }),
    ...(body && {
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: shape(
              body,
              required.filter((name) => name in body),
            ),
          },
        },
      },
    }),
  }
  return { path, method: method.toLowerCase(), operation: of }
}

/** The document of a provider. A group becomes a node. */
export function excerpt(title: string, groups: Readonly<Record<string, readonly Excerpt[]>>): JsonMap {
  const paths: Record<string, JsonMap> = {}
  for (const [tag, all] of Object.entries(groups))
    for (const one of all) paths[one.path] = { ...paths[one.path], [one.method]: { ...one.operation, tags: [tag] } }
  return { openapi: '3.1.0', info: { title, version: '1' }, paths }
}
