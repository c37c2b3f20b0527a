// `npm run budget`: counts the calls, sequential round trips and request units of the hot paths.
import { startLocalStack } from '../support/local-stack.ts'
import { counting } from './measure.ts'
import { LIMITS, measurePaths } from './paths.ts'

const local = await startLocalStack({ embedded: true, plugins: [counting] })
try {
  const costs = await measurePaths(local)
  const cell = (value: number, limit: number | undefined) => `${value}${limit === undefined ? '' : ` (≤ ${limit})`}`
  console.table(
    Object.fromEntries(
      Object.entries(costs).map(([path, cost]) => {
        const limit = LIMITS[path]
        return [
          path,
          {
            'round trips': cell(cost.trips, limit?.trips),
            calls: cell(cost.calls, limit?.calls),
            'write units': cell(cost.write_units, limit?.write_units),
            'read units': cell(cost.read_units, limit?.read_units),
            'index units': cost.index_units,
          },
        ]
      }),
    ),
  )
} finally {
  await local.stop()
}
