// Counts by size: exact at the edges, linear between them.

/** Milliseconds. 200 is an edge, so "under 200 ms" is counted and not estimated. */
export const MS_EDGES = [5, 10, 25, 50, 100, 150, 200, 300, 500, 750, 1_000, 2_000, 5_000, 10_000, 30_000] as const
/** Seconds, for what people and jobs take. */
export const SECONDS_EDGES = [
  60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 57_600, 86_400, 172_800, 345_600, 604_800,
] as const

export type Edges = readonly number[]

/** Bucket i holds edge[i-1] <= value < edge[i]; the last one has no end. */
export function bucketOf(edges: Edges, value: number): number {
  const bucket = edges.findIndex((edge) => value < edge)
  return bucket < 0 ? edges.length : bucket
}

/**
 * The value at rank `share` x n (`share` in 0..1), linear inside its bucket; in the open last bucket its lower edge. Null
 * without values. `counts` has one more element than `edges`.
 */
export function percentile(edges: Edges, counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const rank = share * total
  let below = 0
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const low = edges[bucket - 1] ?? 0
      const high = edges[bucket]
      return high === undefined ? low : round(low + ((high - low) * (rank - below)) / count)
    }
    below += count
  }
  return edges.at(-1) ?? null
}

const round = (value: number) => Math.round(value * 100) / 100

/** How many values lie below an edge; throws for what is none, since then nobody counted it. */
export function countBelow(edges: Edges, counts: readonly number[], edge: number): number {
  const end = edges.indexOf(edge)
  if (end < 0) throw new Error(`${edge} is not an edge`)
  return counts.slice(0, end + 1).reduce((sum, count) => sum + count, 0)
}
