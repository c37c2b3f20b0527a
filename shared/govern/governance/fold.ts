/** Texts, also in lists, without regard to case and width; every other value as it is. */
export function folded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(folded)
  return typeof value === 'string' ? value.normalize('NFKC').toLowerCase() : value
}
