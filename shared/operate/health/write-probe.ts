import { openTable } from '../../base/context.ts'
import type { Probe } from './probe.ts'

/** The item that the probe writes. It belongs to no tenant. */
const PROBED = { pk: 'HEALTH#writes', sk: 'PROBE' }

/** Writes an item, because a table may answer reads while it refuses writes. */
export const writes: Probe = async () => {
  const table = openTable()
  await table.update(PROBED, { set: { at: table.clock.now() } })
}
