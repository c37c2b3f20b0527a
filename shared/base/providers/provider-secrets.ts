// Credentials that the operator has agreed with providers: one secret of the deployment, which the operator fills. Read again after five
// minutes, so that a change needs no deployment. What it does not name is not configured.
import * as z from 'zod'
import { currentRuntime } from '../context.ts'
import { env } from '../lib/runtime.ts'
import { memory } from '../lib/memory.ts'

const AGAIN_AFTER_MS = 300_000

const Client = z.object({
  client_id: z.string(),
  client_secret: z.string(),
  /** Stands in for all addresses of the provider: a sandbox, or the provider that `npm start` brings. */
  origin: z.url().optional(),
})

const ProviderSecrets = z.object({
  stripe: z
    .object({
      secret_key: z.string(),
      /** Several while one is rotated: any of them verifies. */
      webhook_secrets: z.array(z.string()).min(1),
      /** Stands in for the address of Stripe. */
      origin: z.url().optional(),
    })
    .optional(),
  nango: z.object({ host: z.url(), secret_key: z.string(), signing_keys: z.array(z.string()).min(1) }).optional(),
  /** Besides the page of this service, people may come back to these. They are registered at the providers, too. */
  redirect_uris: z.array(z.url()).default([]),
  /** OAuth clients by the id of the connector. */
  connectors: z.record(z.string(), Client).default({}),
})
export type ProviderSecrets = z.output<typeof ProviderSecrets>

const kept = memory<{ until: number; secrets: Promise<ProviderSecrets> }>(1)

export function providerSecrets(): Promise<ProviderSecrets> {
  const now = currentRuntime().clock.now()
  const known = kept.get('')
  if (known && known.until > now) return known.secrets
  const secrets = read()
  kept.set('', { until: now + AGAIN_AFTER_MS, secrets })
  secrets.catch(() => kept.delete(''))
  return secrets
}

async function read(): Promise<ProviderSecrets> {
  const { GetSecretValueCommand, secretsManager } = await import('../aws/secrets-manager.ts')
  const { SecretString } = await secretsManager().send(
    new GetSecretValueCommand({ SecretId: env('PROVIDERS_SECRET_ID') }),
  )
  return ProviderSecrets.parse(JSON.parse(SecretString ?? '{}'))
}
