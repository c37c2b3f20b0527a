/** Between these, latencies are counted (ms): bucket i holds edge[i-1] <= v < edge[i]. */
export const MS_EDGES = [5, 10, 25, 50, 100, 150, 200, 300, 500, 750, 1_000, 2_000, 5_000, 10_000, 30_000] as const
