import type { Context } from '../../base/context.ts'
import { conflict, type Failure, notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type Endpoint, endpoints } from './endpoint.ts'

/** Throws the same 404 for a missing endpoint and for another tenant's. */
export async function findEndpoint({ table, space }: Context, id: string): Promise<Stored<Endpoint>> {
  const found = await table.get(endpoints, { ...space, id })
  if (!found) throw notFound('webhook endpoint')
  return found
}

/** Like `findEndpoint`, for sending to it. Throws 409 for a disabled endpoint. */
export async function findEnabled(ctx: Context, id: string): Promise<Stored<Endpoint>> {
  const found = await findEndpoint(ctx, id)
  if (found.status === 'disabled') throw conflict('This webhook endpoint is disabled. Enable it first.')
  return found
}

/** The 409 of a change that was made for another version. */
export const versionConflict = ({ _v }: Stored<Endpoint>): Failure =>
  conflict(`The resource is at version ${_v}. Read it again, then repeat your change.`, { code: 'version_conflict' })
