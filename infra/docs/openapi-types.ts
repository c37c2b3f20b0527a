// The parts of the OpenAPI document that its pages show.
import type { CodeSample } from '../openapi/code-samples.ts'

export type Schema = {
  $ref?: string
  type?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  format?: string
  default?: unknown
} & Partial<Record<(typeof LIMITS)[number], number>>

export const LIMITS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'] as const

export type Parameter = {
  name: string
  in: string
  description?: string
  required?: boolean
  example?: unknown
  schema: Schema & { examples?: unknown[] }
}
type Content = Record<string, { schema?: Schema; example?: unknown }>
export type Response = { $ref?: string; description: string; content?: Content }
export type Ref = { $ref: string }

export type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  servers?: { url: string }[]
  security: object[]
  parameters?: (Parameter | Ref)[]
  requestBody?: { content: Content }
  responses: Record<string, Response>
  'x-codeSamples'?: CodeSample[]
}

export type Document = {
  info: { description: string }
  tags: { name: string; 'x-displayName': string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, Schema>
    responses: Record<string, Response>
    parameters: Record<string, Parameter>
  }
}

/** The last part of a reference: the name of a component. */
export const nameIn = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)
