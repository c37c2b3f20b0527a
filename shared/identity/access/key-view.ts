// An API key as the API shows it, and how a caller's own key is found by its id.
import * as z from 'zod'
import { type ApiKey, apiKeys, KEY_STATUSES, keyRefs, statusOf } from './api-key.ts'
import { SCOPES } from '../../base/catalog/permissions.ts'
import { MODES } from '../../base/table/members.ts'
import type { Context } from '../../base/context.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'

/** A key as the API shows it, without its secret and digest. */
export const KeyView = z.object({
  id: z.string().describe('The id, which never changes.'),
  name: z.string().describe('A name for people.'),
  kind: z.enum(MODES).describe('Whether the key works on live or test data.'),
  scopes: z.array(z.enum(SCOPES)).describe('The scopes of the credential.'),
  hint: z.string().describe('The first 12 characters, by which people can recognise it.'),
  service: z.boolean().describe('Whether it belongs to the tenant and stays when its creator leaves.'),
  agent_id: z
    .string()
    .nullable()
    .describe('Id of the agent, which is bound to the credential or stated in the request.'),
  status: z.enum(KEY_STATUSES).describe('The current state.'),
  created_by: z.string().describe('The caller that created it.'),
  created_at: z.string().describe('When it was created.'),
  expires_at: z.string().describe('When it expires.'),
  last_used_at: z.string().nullable().describe('When it was last used, rounded to the hour.'),
  replaces: z.string().nullable().describe('The key that this one replaces.'),
  /** When its maker was removed and the tenant kept it. */
  transferred_at: z.string().nullable().describe('When the creator was removed and the tenant took it over.'),
})

/** The responses of create and rotate, the only ones that hold the secret. */
export const KeyWithSecret = KeyView.extend({ key: z.string().describe('The API key. It is shown only once.') })

export const keyView = (item: ApiKey, now: number): z.input<typeof KeyView> => ({
  ...item,
  agent_id: item.agent_id ?? null,
  status: statusOf(item, now),
  last_used_at: item.last_used_at ?? null,
  replaces: item.replaces ?? null,
  transferred_at: item.transferred_at ?? null,
})

/** Throws the same not_found for a missing key and for another tenant's. */
export async function findKey({ table, space }: Context, id: string): Promise<Stored<ApiKey>> {
  const ref = await table.get(keyRefs, { tenant_id: space.tenant_id, id })
  const found = ref && (await table.get(apiKeys, ref))
  if (!found) throw notFound('API key')
  return found
}
