// The keys of a service provider for encrypted assertions. They are other keys than the one that signs, so that neither use
// reveals anything about the other.
import type { Context } from '../../../base/context.ts'
import type { SsoConfiguration } from './configuration.ts'
import type { SsoFields } from './fields.ts'
import { encryptionKeySeal } from './secrets.ts'

type SpKeys = NonNullable<SsoConfiguration['sp']['encryption']>

/** The first is published. The one before it is kept, since providers read metadata late. Undefined before encryption is used. */
export async function encryptionKeys(
  ctx: Context,
  saml: SsoFields['saml'],
  was: SsoConfiguration | undefined,
): Promise<SpKeys | undefined> {
  const present = was?.sp.encryption
  const isWanted = saml !== undefined && saml.assertion_encryption !== 'off'
  if (!isWanted || (present && !saml.rotate_encryption_key)) return present
  const { tenant_id } = ctx.space
  const { certificate, private_key } = await newSpKey(tenant_id, ctx.now())
  const made = { certificate, private_key: await encryptionKeySeal.seal({ tenant_id }, private_key) }
  return [made, ...(present ?? []).slice(0, 1)]
}

/** The private keys (PEM) that may open an assertion. */
export const openedKeys = ({ tenant_id, sp }: SsoConfiguration): Promise<string[]> =>
  Promise.all((sp.encryption ?? []).map(({ private_key }) => encryptionKeySeal.open({ tenant_id }, private_key)))

/**
 * Key and certificate of a tenant's service provider, valid from `now` (ms) for ten years. Identity providers only compare the
 * certificate with the configured one.
 */
export async function newSpKey(tenant_id: string, now: number): Promise<{ certificate: string; private_key: string }> {
  const { generate } = await import('selfsigned') // only a first configuration needs it
  const made = await generate([{ name: 'commonName', value: tenant_id }], {
    keyType: 'rsa',
    keySize: 2_048,
    algorithm: 'sha256',
    notBeforeDate: new Date(now),
    notAfterDate: new Date(now + TEN_YEARS_MS),
  })
  return { certificate: made.cert, private_key: made.private }
}

const TEN_YEARS_MS = 10 * 365 * 86_400_000
