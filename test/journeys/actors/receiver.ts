// A webhook receiver: refuses its first two deliveries, and verifies every other one with the public library.
import { Webhook } from 'standardwebhooks'
import { serve } from './http-actor.ts'
import { report } from './report.ts'

const [secret = ''] = process.argv.slice(2)
const REFUSALS = 2
let refused = 0

serve(async ({ body, headers }) => {
  const id = headers['webhook-id'] ?? ''
  if (refused < REFUSALS) {
    refused += 1
    report({ kind: 'refused', id })
    return { status: 503 }
  }
  try {
    const event = new Webhook(secret).verify(body, headers) as { type: string; data: Record<string, unknown> }
    report({ kind: 'verified', id, type: event.type, data: event.data })
    return { status: 204 }
  } catch (error) {
    report({ kind: 'forged', reason: String(error) })
    return { status: 400 }
  }
})
