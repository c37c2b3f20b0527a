import { EVENT_TYPES } from '../../base/catalog/event-types.ts'

/**
 * The event types that patterns stand for: a subscription names types exactly, or `*` for all, so `action.*` becomes every
 * type of the catalogue that begins with `action.`. Throws on a pattern that stands for nothing.
 */
export function expandTypes(patterns: readonly string[]): string[] {
  const wanted = patterns.map((pattern) => pattern.trim())
  return wanted.includes('*') ? ['*'] : [...new Set(wanted.flatMap(typesOf))]
}

function typesOf(pattern: string): string[] {
  const prefix = pattern.endsWith('.*') ? pattern.slice(0, -1) : undefined
  const found = EVENT_TYPES.filter((type) => (prefix === undefined ? type === pattern : type.startsWith(prefix)))
  if (found.length === 0) throw new Error(`${pattern} is no event type`)
  return found
}
