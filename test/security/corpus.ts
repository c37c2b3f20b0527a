// Ways to spoil a body: other types, unknown members, texts that have broken other services.

type Path = (string | number)[]

/** Members whose content is the caller's own: anything may stand in them. */
const FREE_FORM = new Set([
  'payload',
  'payload_template',
  'when',
  'context',
  'credential',
  'hyperparameters',
  'metrics',
  'records',
  'correction',
])

/** Every value inside a body with its path, outside free-form members. */
export function places(value: unknown, path: Path = []): { path: Path; value: unknown }[] {
  if (typeof value !== 'object' || value === null) return []
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return entries
    .filter(([name]) => !FREE_FORM.has(String(name)))
    .flatMap(([name, member]) => [{ path: [...path, name], value: member }, ...places(member, [...path, name])])
}

type JsonSchema = {
  type?: string | string[]
  anyOf?: JsonSchema[]
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
}

/** Paths of all texts that a shape knows, optional ones too; of each list the first element. */
export function texts(schema: JsonSchema, path: Path = []): Path[] {
  const { type, anyOf = [], properties = {}, items } = schema
  return [
    ...([type].flat().includes('string') ? [path] : []),
    ...anyOf.flatMap((one) => texts(one, path)),
    ...Object.entries(properties).flatMap(([name, member]) => texts(member, [...path, name])),
    ...(items ? texts(items, [...path, 0]) : []),
  ]
}

/** Values of every other JSON type, none of which counts as absent. */
export const wrongTypes = (value: unknown): unknown[] =>
  [true, 1.5, 'text', [[]], { zzz: 1 }].filter((other) => kindOf(other) !== kindOf(value))

const kindOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value)

/** A copy with another value at a path; undefined leaves it out. */
export function replaced<T>(whole: T, path: Path, value: unknown): T {
  const [name, ...rest] = path
  if (name === undefined) return value as T
  const isList = Array.isArray(whole) || (whole === undefined && name === 0)
  const copy = (isList ? [...((whole as unknown[] | undefined) ?? [])] : { ...whole }) as Record<
    string | number,
    unknown
  >
  copy[name] = rest.length > 0 ? replaced(copy[name], rest, value) : value
  return copy as T
}

export const ATTACK_STRINGS: readonly string[] = [
  ' ',
  'x'.repeat(100_000),
  '\r\nX-Injected: 1',
  '\u001b[31m',
  '../../etc/passwd',
  '{"$ne":null}',
  "' OR '1'='1",
  '<script>alert(1)</script>',
  '\u{1F4A5}'.repeat(200),
  'ｅxecute',
  'http://169.254.169.254/latest/meta-data/',
  'http://',
  '(a+)+$',
]

/** Those that may also break what reads numbers, times, ids and keys. */
export const ATTACKS_ON_QUERIES: readonly string[] = [
  '',
  'a#b',
  'T#ten_1#live#HOOKS',
  'x'.repeat(3_000),
  'a\u0000b',
  '%00',
  '__proto__',
  'constructor',
  '9007199254740993',
  '1e400',
  '2026-99-99T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
  '9999-12-31T23:59:59+23:59',
]
