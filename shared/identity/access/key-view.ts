import * as z from 'zod'
import { type ApiKey, KEY_STATUSES, statusOf } from './api-key.ts'
import { SCOPES } from '../../base/catalog/permissions.ts'
import { MODES } from '../../base/table/members.ts'

/** A key as the API shows it, without its secret and digest. */
export const KeyView = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(MODES),
  scopes: z.array(z.enum(SCOPES)),
  /** The first 12 characters. */
  hint: z.string(),
  service: z.boolean(),
  agent_id: z.string().nullable(),
  status: z.enum(KEY_STATUSES),
  created_by: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  last_used_at: z.string().nullable(),
  replaces: z.string().nullable(),
  /** When its maker was removed and the tenant kept it. */
  transferred_at: z.string().nullable(),
})

/** The responses of create and rotate, the only ones that hold the secret. */
export const KeyWithSecret = KeyView.extend({ key: z.string() })

export const keyView = (item: ApiKey, now: number): z.input<typeof KeyView> => ({
  ...item,
  agent_id: item.agent_id ?? null,
  status: statusOf(item, now),
  last_used_at: item.last_used_at ?? null,
  replaces: item.replaces ?? null,
  transferred_at: item.transferred_at ?? null,
})
