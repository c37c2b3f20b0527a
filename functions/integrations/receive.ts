import * as z from 'zod'
import { providerSecrets } from '../../shared/base/providers/provider-secrets.ts'
import { notFound } from '../../shared/base/lib/failure.ts'
import { unauthenticated } from '../../shared/base/wire/call.ts'
import { enqueueNango } from '../../shared/deliver/integrations/sync/enqueue.ts'
import { isSigned } from '../../shared/deliver/integrations/nango/verify.ts'
import { endpoint } from '../../shared/edge/endpoint.ts'
import { integrations } from './routes.ts'

export const shapes = {
  response: z.object({ received: z.literal(true).describe('The message is taken and will be carried out.') }),
}

/**
 * With room for its quotes to be escaped, in a message of the queue. No message that sets anything going is larger; a larger one
 * is taken and dropped, because Nango would only send it again.
 */
const QUEUED_BYTES_MAX = 130_000

/** A message without a valid signature leaves nothing behind. */
export const handler = endpoint(integrations.receive, shapes, async ({ params, headers, bytes = Buffer.alloc(0) }) => {
  const { nango } = await providerSecrets()
  if (params.id !== 'nango' || !nango) throw notFound('connect provider')
  if (!isSigned(bytes, headers['x-nango-hmac-sha256'], nango.signing_keys)) throw unauthenticated()
  if (bytes.length <= QUEUED_BYTES_MAX) await enqueueNango(bytes.toString())
  return { received: true as const }
})
