import * as z from 'zod'
import { KEY_LIFETIME_DAYS } from '../../shared/base/limits/published.ts'
import { createKey } from '../../shared/identity/access/create-key.ts'
import { KeyWithSecret, keyView } from '../../shared/identity/access/key-view.ts'
import { SCOPES } from '../../shared/base/catalog/permissions.ts'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { displayName, id, optional } from '../../shared/base/wire/fields.ts'
import { MODES } from '../../shared/base/table/members.ts'
import { keys } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    name: displayName(80).describe('What the key is for.'),
    kind: z.enum(MODES).describe('Whether the key works on live or test data.'),
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .max(SCOPES.length)
      .transform((scopes) => [...new Set(scopes)])
      .describe('The scopes of the credential.'),
    expires_in_days: optional(z.int().min(1).max(KEY_LIFETIME_DAYS)).describe('Days until it expires.'),
    service: optional(z.boolean()).describe('Whether it belongs to the tenant and stays when its creator leaves.'),
    agent_id: optional(id).describe('Id of the agent, which is bound to the credential or stated in the request.'),
  }),
  response: KeyWithSecret,
}

export const handler = endpoint(
  keys.create,
  shapes,
  async ({ body, ctx }) => {
    const { secret, item } = await createKey(ctx, body)
    return httpResponse(201, { ...keyView(item, ctx.now()), key: secret }, { Location: `/api/v1/api-keys/${item.id}` })
  },
  { protect: textSeal('body') },
)
