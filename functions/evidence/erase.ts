import '../effects.ts'
import * as z from 'zod'
import { readErasure, requestErasure } from '../../shared/assure/erasure/erase.ts'
import { ErasureView } from '../../shared/assure/erasure/erasure.ts'
import type { OnErased } from '../../shared/base/ports/effects.ts'
import { httpResponse } from '../../shared/base/wire/call.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { eitherOf, optional } from '../../shared/base/wire/fields.ts'
import { evidence } from './routes.ts'

/** A code instead of free text, because it becomes evidence, which cannot be erased. */
const reason = z
  .string()
  .regex(/^[a-z][a-z0-9_]{2,63}$/, 'must be a code of lower-case letters, digits and underscores')

export const shapes = {
  body: z
    .strictObject({
      data_subject: optional(z.string().min(1).max(256)).describe(
        'Whom the data is about, in your terms. Erasure finds payloads by it; it is stored as a keyed hash only.',
      ),
      request_id: optional(z.string().max(128)).describe('Id of the request, also in `X-Request-Id`.'),
      reason: reason.describe('The reason, for people.'),
    })
    .refine(({ data_subject, request_id }) => (data_subject === undefined) !== (request_id === undefined), {
      error: 'must name either a data subject or an execution',
    })
    .meta(eitherOf('data_subject', 'request_id')),
  response: ErasureView,
}

const erased: OnErased = async (ctx, ids) => {
  await (await import('../../shared/learn/generation/withdraw-erased.ts')).withdrawErased(ctx, ids)
}

/** Makes all payloads of a data subject, or the payload of one execution, unreadable for ever. The chain stays valid. */
export const handler = endpoint(evidence.erase, shapes, ({ body, ctx }) => requestErasure(ctx, body, erased), {
  replay: async (ctx, id) => httpResponse(202, await readErasure(ctx, id)),
})
