// Schemas as lists of members. A named schema that a page refers to more than once stands once at its end, and the others link to
// it: so a page stays small, and a schema may contain itself.
import { html, type Html } from '../../shared/base/wire/page.ts'
import { markdown } from './markdown.ts'
import { type Document, LIMITS, nameIn, type Schema } from './openapi-types.ts'

/** Writes the schemas of one page. */
export type SchemaWriter = {
  /** The members of a body or an answer. */
  write: (schema: Schema) => Html
  /** The named schemas to which the page links, by name. */
  shared: () => [name: string, content: Html][]
}

export const shapeId = (name: string): string => `shape-${name}`

/** `roots`: all bodies and answers of the page. */
export function schemaWriter({ components }: Pick<Document, 'components'>, roots: readonly Schema[]): SchemaWriter {
  const uses = usesIn(roots, components.schemas)
  const isShared = (name: string) => (uses.get(name) ?? 0) > 1
  const open = (ref: string): Schema => components.schemas[nameIn(ref)] ?? {}

  /** What is behind references that are written in place. */
  const inPlace = (schema: Schema): Schema =>
    schema.$ref !== undefined && !isShared(nameIn(schema.$ref)) ? inPlace(open(schema.$ref)) : schema

  function typeOf(given: Schema): Html {
    const schema = inPlace(given)
    if (schema.$ref !== undefined) return linkTo(nameIn(schema.$ref))
    if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
    if (schema.enum)
      return joinedBy(
        ', ',
        [...new Set(schema.enum)].map((value) => html`<code>${String(value)}</code>`),
      )
    const choices = schema.anyOf ?? schema.oneOf
    if (choices) return joinedBy(' or ', choices.map(typeOf))
    if (schema.items) return html`list of ${typeOf(schema.items)}${limitsOf(schema)}`
    const values = schema.additionalProperties
    if (!schema.properties && typeof values === 'object') return html`map of ${typeOf(values)}`
    return html`${[schema.format, schema.type ?? 'any value'].filter(Boolean).join(' ')}${limitsOf(schema)}`
  }

  /** The objects inside of a schema: itself, its items, its choices. */
  function objectsIn(given: Schema): Schema[] {
    const schema = inPlace(given)
    const { properties, items, additionalProperties: values, anyOf = [], oneOf = [], allOf = [] } = schema
    return [
      ...(properties ? [schema] : []),
      ...[...anyOf, ...oneOf, ...allOf, ...(items ? [items] : [])].flatMap(objectsIn),
      ...(typeof values === 'object' ? objectsIn(values) : []),
    ]
  }

  function member(name: string, schema: Schema, required: boolean): Html {
    const text = schema.description ?? inPlace(schema).description
    return html`<li>
      <code>${name}</code>
      <span class="type">${typeOf(schema)}</span> ${required && html`<span class="must">required</span>`}
      ${text && markdown(text)}
      ${objectsIn(schema).map(
        (inner) =>
          html`<details>
            <summary>Members</summary>
            ${membersOf(inner)}
          </details>`,
      )}
    </li>`
  }

  const membersOf = ({ properties = {}, required = [] }: Schema): Html =>
    html`<ul class="members">
      ${Object.entries(properties).map(([name, inner]) => member(name, inner, required.includes(name)))}
    </ul>`

  const write = (schema: Schema): Html => {
    const objects = objectsIn(schema)
    const isObject = inPlace(schema).properties !== undefined
    return html`${!isObject && html`<p class="type">${typeOf(schema)}</p>`} ${objects.map(membersOf)}`
  }
  const shared = () =>
    [...uses.keys()]
      .filter(isShared)
      .toSorted()
      .map((name): [string, Html] => [name, shape(open(name))])
  const shape = (schema: Schema) => html`${schema.description && markdown(schema.description)} ${write(schema)}`
  return { write, shared }
}

const linkTo = (name: string) => html`<a href="#${shapeId(name)}">${name}</a>`

const joinedBy = (between: string, parts: readonly Html[]): Html =>
  html`${parts.map((part, at) => html`${at > 0 && between}${part}`)}`

function limitsOf(schema: Schema): string {
  const words = LIMITS.flatMap((name) => (schema[name] === undefined ? [] : `${WORDS[name]} ${schema[name]}`))
  return words.length > 0 ? ` (${words.join(', ')})` : ''
}

const WORDS: Record<(typeof LIMITS)[number], string> = {
  minLength: 'length from',
  maxLength: 'length to',
  minItems: 'items from',
  maxItems: 'items to',
  minimum: 'from',
  maximum: 'to',
}

/** How often each named schema is referred to; one that contains itself counts twice. */
function usesIn(roots: readonly Schema[], schemas: Record<string, Schema>): Map<string, number> {
  const uses = new Map<string, number>()
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('$ref' in value && typeof value.$ref === 'string') {
      const name = nameIn(value.$ref)
      uses.set(name, (uses.get(name) ?? 0) + 1)
      if (uses.get(name) === 1) walk(schemas[name])
    } else Object.values(value).forEach(walk)
  }
  roots.forEach(walk)
  return uses
}
