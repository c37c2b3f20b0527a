// Resolves the references of a set of templates, nested ones included, to plain text: `<logical id>` or
// `<logical id.attribute>` as the template names it that owns the resource (nested ones with their own name before it:
// their logical ids repeat), and `<AWS::Region>`.

export type Json = null | boolean | number | string | Json[] | JsonObject
export type JsonObject = { [key: string]: Json }
export type Resource = { Type: string; Properties?: JsonObject; Metadata?: JsonObject; DependsOn?: Json }
export type Template = {
  Resources: Record<string, Resource>
  Outputs?: Record<string, { Value: Json }>
}

type Nest = { parent: string; parameters: JsonObject }

const STACK = 'AWS::CloudFormation::Stack'

export const asText = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The file of a nested stack's template. */
const fileOf = (stack: Resource | undefined) => asText(stack?.Metadata?.['aws:asset:path'])

export const asObject = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}

export const asArray = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** What `Ref` of a resource resolves to. */
export const referenceTo = (id: string, file: string): string =>
  file.includes('.nested.') ? `<${file.split('.')[0]}/${id}>` : `<${id}>`

/** What an attribute of a resource resolves to. */
export const attributeOf = (reference: string, attribute: string): string => reference.replace('>', `.${attribute}>`)

export function resolver(templates: ReadonlyMap<string, Template>): (value: Json, file: string) => Json {
  const nests = new Map<string, Nest>()
  for (const [parent, { Resources }] of templates) {
    for (const stack of Object.values(Resources).filter(({ Type }) => Type === STACK)) {
      nests.set(fileOf(stack), { parent, parameters: asObject(stack.Properties?.Parameters) })
    }
  }

  function reference(name: string, file: string): Json {
    if (name.startsWith('AWS::')) return `<${name}>`
    const nest = nests.get(file)
    const given = nest?.parameters[name]
    return nest && given !== undefined ? resolve(given, nest.parent) : referenceTo(name, file)
  }

  function attribute(id: string, name: string, file: string): Json {
    const resource = templates.get(file)?.Resources[id]
    const text = attributeOf(referenceTo(id, file), name)
    if (resource?.Type !== STACK) return text
    const nested = fileOf(resource)
    const output = templates.get(nested)?.Outputs?.[name.replace('Outputs.', '')]
    return output ? resolve(output.Value, nested) : text
  }

  const joined = (parts: Json[], separator: string, file: string) =>
    parts.map((part) => asText(resolve(part, file))).join(separator)

  function resolve(value: Json, file: string): Json {
    if (Array.isArray(value)) return value.map((item) => resolve(item, file))
    if (typeof value !== 'object' || value === null) return value
    const [[name, input] = ['', null], ...others] = Object.entries(value)
    if (others.length === 0) {
      const [first, second] = asArray(input)
      if (name === 'Ref') return reference(asText(input), file)
      if (name === 'Fn::GetAtt') return attribute(asText(first), asText(second), file)
      if (name === 'Fn::Join') return joined(asArray(second), asText(first), file)
      if (name === 'Fn::Sub') return asText(input).replaceAll(/\$\{([\w:]+)\}/g, '<$1>')
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, file)]))
  }

  return resolve
}
