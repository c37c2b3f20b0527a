/** Reads figures of one part of what a trainer measured; null for those that it did not measure. */
export function measuredBy(metrics: Readonly<Record<string, unknown>> | undefined, part: string) {
  const figures = metrics?.[part]
  return (name: string): number | null => {
    const value =
      typeof figures === 'object' && figures !== null ? (figures as Record<string, unknown>)[name] : undefined
    return typeof value === 'number' ? value : null
  }
}
