type Scored = { p: number; y: 0 | 1 }

/** How often a chosen row scores higher than a rejected one; equal scores count half. Null without both. */
export function auc(rows: readonly Scored[]): number | null {
  const chosen = rows.filter(({ y }) => y === 1).length
  const rejected = rows.length - chosen
  if (chosen === 0 || rejected === 0) return null
  return (rankSum(rows) - (chosen * (chosen + 1)) / 2) / (chosen * rejected)
}

/** The sum of the ranks of the chosen rows. Equal scores share the mean of their ranks. */
function rankSum(rows: readonly Scored[]): number {
  const sorted = rows.toSorted((a, b) => a.p - b.p)
  let sum = 0
  for (let from = 0; from < sorted.length;) {
    let to = from
    let chosen = 0
    for (; to < sorted.length && sorted[to]?.p === sorted[from]?.p; to += 1) chosen += sorted[to]?.y ?? 0
    sum += chosen * ((from + 1 + to) / 2)
    from = to
  }
  return sum
}
