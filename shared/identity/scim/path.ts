// Attribute paths (RFC 7644, section 3.5.2 and figure 7): `name.givenName`, `emails[type eq "work"].value`, optionally with
// the URN of the schema in front. Only this file reads the text of a path.
import { type Attribute, namedAttribute, subAttribute } from './attribute.ts'
import { coreAttribute, type ResourceType } from './resource-type.ts'

export type Path = {
  /** URN of the extension that holds the attribute. */
  extension?: string
  /** Absent when the path names a whole extension. */
  attribute?: Attribute
  /** The text between the brackets. */
  filter?: string
  sub?: Attribute
}

const SHAPE = /^(?<name>[$\w-]+)(?:\[(?<filter>.*)\])?(?:\.(?<sub>[$\w-]+))?$/s

/** Undefined when the type has no such attribute. */
export function readPath(type: ResourceType, text: string): Path | undefined {
  const { schema, extension } = type
  const trimmed = text.trim()
  if (extension && trimmed.toLowerCase() === extension.id.toLowerCase()) return { extension: extension.id }
  const ofExtension = extension && behind(extension.id, trimmed)
  if (extension && ofExtension !== undefined) {
    const found = resolve(ofExtension, (name) => namedAttribute(extension.attributes, name))
    return found && { extension: extension.id, ...found }
  }
  return resolve(behind(schema.id, trimmed) ?? trimmed, (name) => coreAttribute(type, name))
}

/** The text after the URN and its colon. */
const behind = (urn: string, text: string): string | undefined =>
  text.toLowerCase().startsWith(`${urn.toLowerCase()}:`) ? text.slice(urn.length + 1) : undefined

function resolve(text: string, find: (name: string) => Attribute | undefined): Path | undefined {
  const { name = '', filter, sub } = SHAPE.exec(text)?.groups ?? {}
  const attribute = find(name)
  const part = attribute && sub !== undefined ? subAttribute(attribute, sub) : undefined
  if (!attribute || (sub !== undefined && !part)) return undefined
  return { attribute, ...(filter !== undefined && { filter }), ...(part && { sub: part }) }
}
