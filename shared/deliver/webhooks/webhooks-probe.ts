import type { Context } from '../../base/context.ts'
import type { Probe } from '../../operate/health/probe.ts'
import { endpoints, endpointsKey } from './endpoints/endpoint.ts'

/** A tenant's endpoints, and how many of them are in error, for its health. */
export const webhooksProbe =
  ({ table, space }: Context): Probe =>
  async () => {
    const all = await table.query(endpoints, { pk: endpointsKey(space) })
    const in_error = all.filter(({ status }) => status === 'error').length
    return { detail: { endpoints: all.length, in_error } }
  }
