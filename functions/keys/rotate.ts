import * as z from 'zod'
import { KEY_LIFETIME_DAYS } from '../../shared/base/limits/published.ts'
import { KeyWithSecret, keyView } from '../../shared/identity/access/key-view.ts'
import { rotateKey } from '../../shared/identity/access/rotate-key.ts'
import { textSeal } from '../../shared/ledger/sealing/seal.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { optional } from '../../shared/base/wire/fields.ts'
import { keys } from './routes.ts'

export const shapes = {
  body: z.strictObject({
    expires_in_days: optional(z.int().min(1).max(KEY_LIFETIME_DAYS)).describe('Days until it expires.'),
  }),
  response: KeyWithSecret,
}

export const handler = endpoint(
  keys.rotate,
  shapes,
  async ({ params, body, ctx }) => {
    const { secret, item } = await rotateKey(ctx, { id: params.id, ...body })
    return httpResponse(201, { ...keyView(item, ctx.now()), key: secret }, { Location: `/api/v1/api-keys/${item.id}` })
  },
  { protect: textSeal('body') },
)
