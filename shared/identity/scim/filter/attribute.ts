// Attributes of a schema (RFC 7643, sections 2 and 7). All code that reads or writes resources follows them.

export type AttributeType =
  | 'string'
  | 'boolean'
  | 'decimal'
  | 'integer'
  | 'dateTime'
  | 'binary'
  | 'reference'
  | 'complex'

export type Attribute = {
  name: string
  type: AttributeType
  multiValued: boolean
  required?: boolean
  /** Absent where it means nothing: booleans and complex attributes. */
  caseExact?: boolean
  mutability: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly'
  returned: 'always' | 'never' | 'default' | 'request'
  subAttributes?: Attribute[]
}

const DEFAULTS = { multiValued: false, mutability: 'readOnly', returned: 'default' } as const

/** The attributes of every resource (RFC 7643, section 3.1). */
export const COMMON_ATTRIBUTES: readonly Attribute[] = [
  { ...DEFAULTS, name: 'schemas', type: 'reference', multiValued: true, caseExact: true, returned: 'always' },
  { ...DEFAULTS, name: 'id', type: 'string', caseExact: true, returned: 'always' },
  { ...DEFAULTS, name: 'externalId', type: 'string', caseExact: true, mutability: 'readWrite' },
  {
    ...DEFAULTS,
    name: 'meta',
    type: 'complex',
    subAttributes: [
      { ...DEFAULTS, name: 'resourceType', type: 'string', caseExact: true },
      { ...DEFAULTS, name: 'created', type: 'dateTime' },
      { ...DEFAULTS, name: 'lastModified', type: 'dateTime' },
      { ...DEFAULTS, name: 'location', type: 'reference', caseExact: true },
      { ...DEFAULTS, name: 'version', type: 'string', caseExact: true },
    ],
  },
]

/** Names are compared without regard to case (RFC 7643, section 2.1). */
export function namedAttribute(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const lower = name.toLowerCase()
  return attributes.find((attribute) => attribute.name.toLowerCase() === lower)
}

export const subAttribute = (of: Attribute, name: string): Attribute | undefined =>
  namedAttribute(of.subAttributes ?? [], name)

/** The sub-attribute that a plain value sets, as `value` does for an e-mail address. */
export const valueOf = (of: Attribute): Attribute | undefined => subAttribute(of, 'value')

/** The form in which a text is compared: unchanged, or without regard to case. */
export const comparable = ({ caseExact }: Attribute, text: string): string =>
  caseExact ? text : text.normalize('NFC').toLowerCase()
