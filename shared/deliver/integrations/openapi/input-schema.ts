// The input schema of an operation: `{path, query, header, body}`, so that equal names in two places never clash. It is written
// with less and less detail until it is small enough.
import { type Measure, type Schema as InputSchema, SchemaWriter, TooLarge } from './write-out.ts'
import { inputSchemaProblems } from '../../../govern/manifests/input-schema-limits.ts'
import { acceptingExamples } from './examples.ts'
import type { Simplification } from './keywords.ts'
import type { JsonMap } from './resolve.ts'
import type { Body } from './body.ts'
import type { Parameter } from './parameters.ts'

const BYTES_MAX = 16_384
const STEPS: readonly Measure[] = [
  { descriptions: 200, levels: Infinity, bytesMax: BYTES_MAX },
  { descriptions: 0, levels: Infinity, bytesMax: BYTES_MAX },
  { descriptions: 0, levels: 5, bytesMax: BYTES_MAX },
  { descriptions: 0, levels: 2, bytesMax: BYTES_MAX },
]

export type Input = { parameters: readonly Parameter[]; body: Body | undefined }
export type Written = { input_schema: InputSchema; simplified: boolean; simplifications: Simplification[] }

export function inputSchemaOf(document: JsonMap, input: Input): Written {
  for (const [step, measure] of STEPS.entries()) {
    const found = written(document, input, measure)
    if (!found) continue
    const { input_schema, writer } = found
    const simplified = step > 1
    return {
      input_schema,
      simplified,
      simplifications: [...(simplified ? ['size' as const] : []), ...writer.simplified],
    }
  }
  return { input_schema: { type: 'object' }, simplified: true, simplifications: ['size'] }
}

/** Undefined when it is still too large. */
function written(document: JsonMap, { parameters, body }: Input, measure: Measure) {
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
    return fits && inputSchemaProblems(input_schema).length === 0 ? { input_schema, writer } : undefined
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
  const members = parameters.map(({ name, required, schema, of }) => ({
    name,
    required,
    schema: accepting(writer, schema, of),
  }))
  return { schema: closedObject(members), required: members.some(({ required }) => required) }
}

const bodySchema = (writer: SchemaWriter, { content_type, schema, media }: Body): InputSchema =>
  content_type === 'text/plain' ? { type: 'string' } : accepting(writer, schema, media)

/** `of`: the parameter or the media type, whose examples the schema must accept. */
function accepting(writer: SchemaWriter, schema: unknown, of: JsonMap = {}): InputSchema {
  const plain = writer.write(schema)
  const accepts = acceptingExamples(writer.document, plain, of, writer.examples)
  if (accepts !== plain) writer.simplified.add('own_example')
  return accepts
}
