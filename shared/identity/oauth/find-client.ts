import type { Context } from '../../base/context.ts'
import { conflict, notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { findClient, type OAuthClient } from './client.ts'

/** A client of the caller's tenant. Throws 404 for any other. */
export async function ownClient({ table, space }: Context, client_id: string): Promise<Stored<OAuthClient>> {
  const client = await findClient(table, client_id)
  if (!client || client.tenant_id !== space.tenant_id) throw notFound('OAuth client')
  return client
}

export const changedMeanwhile = ({ _v }: { _v: number }) =>
  conflict(`The client has changed since version ${_v}. Read it again and repeat your change.`, {
    code: 'version_conflict',
  })
