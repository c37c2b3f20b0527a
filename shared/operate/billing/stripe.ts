// The payment provider, by its own client, which is loaded with the first call: few requests need it.
import type Stripe from 'stripe'
import { providerSecrets } from '../../base/providers/provider-secrets.ts'
import { conflict, type Failure, invalid, unavailable } from '../../base/lib/failure.ts'
import { warn } from '../../base/lib/log.ts'
import { memory } from '../../base/lib/memory.ts'

const API_VERSION = '2026-10-28.endive'
const TIMEOUT_MS = 10_000
const RETRIES = 2

const clients = memory<Stripe>(2)

/** Throws 409 while the operator has no account at the provider. */
export async function stripe(): Promise<Stripe> {
  const { stripe: account } = await providerSecrets()
  if (!account)
    throw conflict('This deployment takes no payments. Ask the operator to change your plan.', {
      code: 'billing_not_configured',
    })
  const name = `${account.secret_key}@${account.origin ?? ''}`
  const known = clients.get(name)
  if (known) return known
  const at = account.origin === undefined ? undefined : new URL(account.origin)
  const { default: Client } = await import('stripe')
  const client = new Client(account.secret_key, {
    apiVersion: API_VERSION,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    ...(at && { host: at.hostname, port: at.port, protocol: at.protocol === 'http:' ? 'http' : 'https' }),
  })
  clients.set(name, client)
  return client
}

/** Whether this deployment takes payments. */
export const hasProvider = async (): Promise<boolean> => (await providerSecrets()).stripe !== undefined

/** Statuses of a request, or an account, that the provider takes no better when it is repeated. */
const REFUSED = new Set([400, 401, 402, 403, 404])

/**
 * Runs a call. Throws 503 when the provider does not answer or cannot carry it out now, 422 for an address that it does not take, and
 * 409 for what else it refuses.
 */
export async function asking<T>(call: (client: Stripe) => Promise<T>): Promise<T> {
  const client = await stripe()
  try {
    return await call(client)
  } catch (error) {
    throw failureOf(error)
  }
}

function failureOf(error: unknown): Failure {
  const { statusCode, param }: { statusCode?: number; param?: string } = Object(error)
  if (!REFUSED.has(statusCode ?? 0)) return unavailable('The payment provider does not answer. Try again.', error)
  if (/_url\]?$/.test(param ?? '')) return invalid([], 'holds an address that the payment provider does not take')
  warn('payment_provider_refused', error)
  return conflict('The payment provider refuses this, and would again. Ask the operator of this service.', {
    code: 'payment_provider_refused',
    cause: error,
  })
}

/** Undefined for an object that the provider does not have. */
export const asked = <T>(call: (client: Stripe) => Promise<T>): Promise<T | undefined> =>
  asking(async (client) => {
    try {
      return await call(client)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'resource_missing') return undefined
      throw error
    }
  })
