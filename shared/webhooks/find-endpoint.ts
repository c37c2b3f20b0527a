import type { Context } from '../context.ts'
import { notFound } from '../lib/failure.ts'
import type { Stored } from '../table/entity.ts'
import { type Endpoint, endpoints } from './endpoint.ts'

/** Throws the same not_found for a missing endpoint and for another tenant's. */
export async function findEndpoint({ table, space }: Context, id: string): Promise<Stored<Endpoint>> {
  const found = await table.get(endpoints, { ...space, id })
  if (!found) throw notFound('webhook endpoint')
  return found
}
