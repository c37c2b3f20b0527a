import { openTable } from '../../base/context.ts'
import type { Probe } from './probe.ts'

/** The one item that probes write, in no tenant's space. */
const PROBED = { pk: 'HEALTH#writes', sk: 'PROBE' }

/** A write like any other: a table may well answer reads while it takes no writes, and then nothing can be done here. */
export const writes: Probe = async () => {
  const table = openTable()
  await table.update(PROBED, { set: { at: table.clock.now() } })
}
