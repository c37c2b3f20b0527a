import type { Context } from '../../base/context.ts'
import { conflict, type Failure, notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Endpoint, endpoints } from './endpoint.ts'

/** Throws the same not_found for a missing endpoint and for another tenant's. */
export async function findEndpoint({ table, space }: Context, id: string): Promise<Stored<Endpoint>> {
  const found = await table.get(endpoints, { ...space, id })
  if (!found) throw notFound('webhook endpoint')
  return found
}

/** As `findEndpoint`, for what sends to it: a disabled endpoint is a conflict. */
export async function findEnabled(ctx: Context, id: string): Promise<Stored<Endpoint>> {
  const found = await findEndpoint(ctx, id)
  if (found.status === 'disabled') throw conflict('the webhook endpoint is disabled')
  return found
}

/** For a change that was made for another version than this one. */
export const changedMeanwhile = ({ _v }: Stored<Endpoint>): Failure =>
  conflict(`version conflict: the current version is ${_v}`, { code: 'version_conflict' })
