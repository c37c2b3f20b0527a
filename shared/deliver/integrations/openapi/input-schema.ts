// The input schema of an operation: `{path, query, header, body}`, so that equal names in two places never clash. It is written
// with less and less detail until it is small enough.
import { type Measure, type Schema as InputSchema, SchemaWriter, TooLarge } from './write-out.ts'
import { inputSchemaProblems } from '../../../govern/manifests/input-schema-limits.ts'
import { isObject, type JsonMap, mapAt, member, resolved, Skipped } from './resolve.ts'
import type { Parameter } from './parameters.ts'
import type { Operation } from './operations.ts'

const BYTES_MAX = 16_384
const STEPS: readonly Measure[] = [
  { descriptions: 200, levels: Infinity, bytesMax: BYTES_MAX },
  { descriptions: 0, levels: Infinity, bytesMax: BYTES_MAX },
  { descriptions: 0, levels: 5, bytesMax: BYTES_MAX },
  { descriptions: 0, levels: 2, bytesMax: BYTES_MAX },
]

export type Input = { parameters: readonly Parameter[]; body: Body | undefined }
/** `undefined` as schema: the operation takes nothing, so the payload is an empty object. */
export type Written = { input_schema: InputSchema; simplified: boolean }

export function inputSchemaOf(document: JsonMap, input: Input): Written {
  for (const [step, measure] of STEPS.entries()) {
    const input_schema = written(document, input, measure)
    if (input_schema) return { input_schema, simplified: step > 1 }
  }
  return { input_schema: { type: 'object' }, simplified: true }
}

/** Undefined when it is still too large. */
function written(document: JsonMap, { parameters, body }: Input, measure: Measure): InputSchema | undefined {
  try {
    const writer = new SchemaWriter(document, measure)
    const parts = [
      ...(['path', 'query', 'header'] as const).flatMap((place) => {
        const these = parameters.filter((one) => one.in === place)
        return these.length > 0 ? [{ name: place, ...closed(writer, these) }] : []
      }),
      ...(body ? [{ name: 'body', required: body.required, schema: bodySchema(writer, body) }] : []),
    ]
    const input_schema = closedObject(parts)
    const fits = Buffer.byteLength(JSON.stringify(input_schema)) <= BYTES_MAX
    return fits && inputSchemaProblems(input_schema).length === 0 ? input_schema : undefined
  } catch (error) {
    if (error instanceof TooLarge) return undefined
    throw error
  }
}

type Member = { name: string; required: boolean; schema: InputSchema }

const closedObject = (members: readonly Member[]): InputSchema => {
  const required = members.filter((one) => one.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

function closed(writer: SchemaWriter, parameters: readonly Parameter[]) {
  const members = parameters.map(({ name, required, schema }) => ({ name, required, schema: writer.write(schema) }))
  return { schema: closedObject(members), required: members.some(({ required }) => required) }
}

const bodySchema = (writer: SchemaWriter, { content_type, schema }: Body): InputSchema =>
  content_type === 'text/plain' ? { type: 'string' } : writer.write(schema)

// The body of an operation: the media type that this service can write, in the order of preference.

type Body = { content_type: string; required: boolean; schema: unknown }

const bare = (type: string): string => type.split(';')[0]?.trim().toLowerCase() ?? ''

const PREFERRED: readonly { fits: (type: string) => boolean; sent?: string }[] = [
  { fits: (type) => type === 'application/json' },
  { fits: (type) => /^application\/[\w.-]+\+json$/.test(type) },
  { fits: (type) => type === '*/*' || type === 'application/*', sent: 'application/json' },
  { fits: (type) => type === 'application/x-www-form-urlencoded' },
  { fits: (type) => type === 'text/plain' },
]

/** Undefined for an operation that sends none. Throws `Skipped`. */
export function bodyOf(document: JsonMap, { method, of }: Operation): Body | undefined {
  const given = member(of, 'requestBody')
  if (given === undefined || method === 'GET' || method === 'HEAD') return undefined
  const body = resolved(document, given)
  const contents = Object.entries(mapAt(body, 'content'))
  if (contents.length === 0) return undefined
  for (const { fits, sent } of PREFERRED) {
    const found = contents.find(([type]) => fits(bare(type)))
    if (!found) continue
    const [type, media] = found
    const schema = isObject(media) ? member(resolved(document, media), 'schema') : undefined
    return { content_type: sent ?? bare(type), required: member(body, 'required') === true, schema: schema ?? {} }
  }
  throw new Skipped('unsupported_body')
}
