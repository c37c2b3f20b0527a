import { EVENT_TYPES } from '../../base/catalog/event-types.ts'

/**
 * Replaces patterns such as `action.*` by the event types of the catalogue, because a subscription names types exactly, or `*`
 * for all. Throws on a pattern that matches no type.
 */
export function expandTypes(patterns: readonly string[]): string[] {
  const trimmed = patterns.map((pattern) => pattern.trim())
  return trimmed.includes('*') ? ['*'] : [...new Set(trimmed.flatMap(typesOf))]
}

function typesOf(pattern: string): string[] {
  const prefix = pattern.endsWith('.*') ? pattern.slice(0, -1) : undefined
  const found = EVENT_TYPES.filter((type) => (prefix === undefined ? type === pattern : type.startsWith(prefix)))
  if (found.length === 0) throw new Error(`${pattern} matches no event type`)
  return found
}
