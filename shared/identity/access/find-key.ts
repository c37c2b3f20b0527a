import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { type ApiKey, apiKeys, keyRefs } from './api-key.ts'

/** Throws the same not_found for a missing key and for another tenant's. */
export async function findKey({ table, space }: Context, id: string): Promise<Stored<ApiKey>> {
  const ref = await table.get(keyRefs, { tenant_id: space.tenant_id, id })
  const found = ref && (await table.get(apiKeys, ref))
  if (!found) throw notFound('API key')
  return found
}
