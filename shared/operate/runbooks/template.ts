// Payload templates of runbook steps know look-ups and nothing else: no expressions, so nothing that an alert or a person wrote
// is ever evaluated.

/** What a look-up may name; `alert.labels.` goes on with the name of a label. */
const LOOKUPS = new Set([
  'incident.id',
  'incident.title',
  'incident.severity',
  'incident.detected_at',
  'alert.id',
  'alert.title',
  'alert.severity',
  'alert.value',
  'alert.threshold',
  'tenant.id',
])
const LABEL = /^alert\.labels\.[A-Za-z0-9_]{1,64}$/

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g

type Json = unknown

/** Look-ups of a template that nothing could fill. */
export const unknownLookups = (template: Json): string[] =>
  lookupsOf(template).filter((name) => !LOOKUPS.has(name) && !LABEL.test(name))

export const lookupsOf = (template: Json): string[] =>
  textsOf(template).flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name))

/** The template with its look-ups filled; one whose fact is not known becomes empty text. */
export function filled<T extends Json>(template: T, facts: Readonly<Record<string, string>>): T {
  return mapped(template, (text) => text.replaceAll(PLACEHOLDER, (_, name: string) => facts[name] ?? '')) as T
}

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => [
    ...(Array.isArray(value) ? [] : [name]),
    ...textsOf(member),
  ])
}

/** Names of members are not filled in: a filled name could become that of another member. */
function mapped(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((member) => mapped(member, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapped(member, change)]))
}
