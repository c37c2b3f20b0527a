// Which input schemas a tenant may register: they run in a process shared by all tenants, so their size bounds their work.
// Patterns are refused, and so is recursion: a recursive schema of a few lines takes exponential time on a deep payload.
import { canonicalJson } from '../../base/lib/json.ts'
import { mappingProblems } from '../governance/payload/declared.ts'

type Path = (string | number)[]
type Problem = { path: Path; message: string }
type Schema = Record<string, unknown>

const BYTES_MAX = 32_768
const DEPTH_MAX = 16
/** Subschemas with every reference written out: the most that one value of a payload can be checked against. */
const UNFOLDED_MAX = 5_000

const words = (text: string) => text.split(' ')

/** Regular expressions, and what would let a reference lead elsewhere than its pointer says. */
const REFUSED = words('pattern patternProperties $id $anchor $dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor')
/** Lists of former drafts, in which `dependencies` could hide a pattern. 2020-12 has others for both. */
const FORMER = words('dependencies additionalItems')
/** Keywords that hold a schema, a list of schemas, schemas by name. */
const ONE = words(
  'additionalProperties items contains not if then else propertyNames unevaluatedItems unevaluatedProperties contentSchema',
)
const MANY = words('allOf anyOf oneOf prefixItems')
const NAMED = words('properties dependentSchemas')
const DEFINED = words('$defs definitions')

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Place = { schema: Schema; path: Path }

/** The subschemas right below a schema; `named` are the keywords whose members are schemas. */
function childrenOf({ schema, path }: Place, named: readonly string[]): Place[] {
  const found: [unknown, Path][] = ONE.map((keyword) => [schema[keyword], [keyword]])
  for (const keyword of MANY) {
    const list = schema[keyword]
    if (Array.isArray(list)) for (const [i, value] of list.entries()) found.push([value, [keyword, i]])
  }
  for (const keyword of named) {
    const members = schema[keyword]
    if (isObject(members)) for (const [name, value] of Object.entries(members)) found.push([value, [keyword, name]])
  }
  return found.flatMap(([value, steps]) => (isObject(value) ? [{ schema: value, path: [...path, ...steps] }] : []))
}

/** The schema that a local reference points to (RFC 6901 in a URI fragment); undefined when there is none. */
function resolve(root: Schema, reference: unknown): Schema | undefined {
  if (reference === '#') return root
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined
  let at: unknown = root
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return undefined
    at = Reflect.get(at, name)
  }
  return isObject(at) ? at : undefined
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)))

function* problemsAt(root: Schema, { schema, path }: Place): Generator<Problem> {
  for (const keyword of REFUSED) {
    if (Object.hasOwn(schema, keyword)) yield { path: [...path, keyword], message: 'is not supported' }
  }
  for (const keyword of FORMER) {
    if (Object.hasOwn(schema, keyword))
      yield { path: [...path, keyword], message: 'is of a former draft of JSON Schema, and not supported' }
  }
  if (schema['$schema'] !== undefined && dialectOf(schema) === undefined)
    yield { path: [...path, '$schema'], message: 'must be JSON Schema 2020-12, 2019-09 or draft-07' }
  const differs = differing(dialectOf(root), schema)
  if (differs !== undefined)
    yield {
      path: [...path, differs],
      message: `means something else in ${dialectOf(root)}; declare JSON Schema 2020-12`,
    }
  if (schema['$ref'] !== undefined && !resolve(root, schema['$ref'])) {
    yield {
      path: [...path, '$ref'],
      message: 'must be a JSON pointer to a schema inside this one, such as #/$defs/name',
    }
  }
  for (const child of childrenOf({ schema, path }, [...NAMED, ...DEFINED])) yield* problemsAt(root, child)
}

// A schema of a former draft is checked by the rules of 2020-12. That is right only while nothing in it means something else there.

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'json-schema.org/draft/2020-12/schema': '2020-12',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft-07/schema': 'draft-07',
}
type Dialect = '2020-12' | '2019-09' | 'draft-07'

/** Without `$schema` it is 2020-12; undefined for a dialect that nobody here reads. */
function dialectOf({ $schema = 'https://json-schema.org/draft/2020-12/schema' }: Schema): Dialect | undefined {
  const name = typeof $schema === 'string' ? $schema.replace(/^https?:\/\//, '').replace(/#$/, '') : ''
  return Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined
}

/** Keywords that a draft does not know, so that it ignores them. */
const UNKNOWN_IN: Record<Dialect, readonly string[]> = {
  '2020-12': [],
  '2019-09': words('prefixItems'),
  'draft-07': words(
    'prefixItems dependentRequired dependentSchemas minContains maxContains unevaluatedItems unevaluatedProperties',
  ),
}
/** What may stand beside `$ref` in draft-07, which ignores all that does, without a difference. */
const ABOUT = new Set(words('$ref $schema $comment $defs definitions title description default examples deprecated'))

/** The keyword by which a schema means something else than in 2020-12. */
function differing(dialect: Dialect | undefined, schema: Schema): string | undefined {
  if (dialect === undefined || dialect === '2020-12') return undefined
  const unknown = UNKNOWN_IN[dialect].find((keyword) => Object.hasOwn(schema, keyword))
  if (unknown !== undefined) return unknown
  // 2020-12 counts what `contains` has found as evaluated.
  if (dialect === '2019-09' && Object.hasOwn(schema, 'unevaluatedItems')) return 'unevaluatedItems'
  if (Array.isArray(schema['items'])) return 'items'
  if (dialect !== 'draft-07' || schema['$ref'] === undefined) return undefined
  return Object.keys(schema).find((keyword) => !ABOUT.has(keyword))
}

/** How many subschemas there are with every reference written out; infinite when one leads back to itself. */
function unfoldedSize(root: Schema): number {
  const sizes = new Map<Schema, number>()
  const size = (schema: Schema): number => {
    const known = sizes.get(schema)
    if (known !== undefined) return known
    sizes.set(schema, Infinity)
    const target = resolve(root, schema['$ref'])
    const below = childrenOf({ schema, path: [] }, NAMED).map((child) => child.schema)
    const total = [...below, ...(target ? [target] : [])].reduce((sum, each) => sum + size(each), 1)
    sizes.set(schema, total)
    return total
  }
  return size(root)
}

/** Why a schema cannot be registered, by place inside it. ajv checks whether it is valid. */
export function inputSchemaProblems(schema: Schema): Problem[] {
  if (isDeeper(schema, DEPTH_MAX)) return [{ path: [], message: `must not be nested deeper than ${DEPTH_MAX}` }]
  if (Buffer.byteLength(canonicalJson(schema)) > BYTES_MAX)
    return [{ path: [], message: `must not exceed ${BYTES_MAX} bytes` }]
  const problems: Problem[] = [...mappingProblems(schema), ...problemsAt(schema, { schema, path: [] })]
  if (problems.length > 0) return problems
  const size = unfoldedSize(schema)
  if (size === Infinity) return [{ path: [], message: 'must not refer to itself' }]
  return size > UNFOLDED_MAX
    ? [{ path: [], message: `must not hold more than ${UNFOLDED_MAX} subschemas with references written out` }]
    : []
}
