// Rates with their uncertainty.

const Z = 1.96

/** The Wilson interval of 95 % of `hits` of `count`. */
export function wilson(hits: number, count: number): [low: number, high: number] {
  const share = hits / count
  const centre = share + (Z * Z) / (2 * count)
  const half = Z * Math.sqrt((share * (1 - share)) / count + (Z * Z) / (4 * count * count))
  const scale = 1 + (Z * Z) / count
  return [Math.max(0, (centre - half) / scale), Math.min(1, (centre + half) / scale)]
}

const percent = (share: number) => (100 * share).toFixed(2)

/** For example `1/322 = 0.31 % [0.05, 1.74]`. */
export function rate(hits: number, count: number): string {
  if (count === 0) return '–'
  const [low, high] = wilson(hits, count)
  return `${hits}/${count} = ${percent(hits / count)} % [${percent(low)}, ${percent(high)}]`
}

/** The groups with the largest share of wrong ones. */
export function worst<T>(
  all: readonly T[],
  groupOf: (one: T) => string,
  isWrong: (one: T) => boolean,
  shown: number,
): Record<string, string> {
  const groups = [...Map.groupBy(all, groupOf)].map(([group, ones]) => ({
    group,
    wrong: ones.filter(isWrong).length,
    count: ones.length,
  }))
  const sorted = groups.toSorted((a, b) => b.wrong / b.count - a.wrong / a.count)
  return Object.fromEntries(sorted.slice(0, shown).map(({ group, wrong, count }) => [group, rate(wrong, count)]))
}
