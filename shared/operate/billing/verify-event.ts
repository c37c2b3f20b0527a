// Whether the payment provider has sent this, over the raw bytes.
import type Stripe from 'stripe'
import { malformed } from '../../base/lib/failure.ts'

const TOLERANCE_SECONDS = 300
const TIME = /(?:^|,)t=(\d{1,12})(?:,|$)/

/** Throws 400 for a signature that is wrong, older than five minutes, or of a time to come. Any of the secrets verifies. */
export async function verifiedEvent(
  body: Buffer,
  signature: string | undefined,
  { secrets, now }: { secrets: readonly string[]; now: number },
): Promise<Stripe.Event> {
  const { default: Client } = await import('stripe')
  const seconds = Math.floor(now / 1_000)
  const sent = Number(TIME.exec(signature ?? '')?.[1] ?? Number.NaN)
  // The library lets times to come pass.
  if (signature !== undefined && sent - seconds <= TOLERANCE_SECONDS)
    for (const secret of secrets) {
      try {
        return Client.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS, undefined, now)
      } catch {
        // the next secret may fit
      }
    }
  throw malformed('The signature does not fit this body, or is too old.', { code: 'invalid_signature' })
}
