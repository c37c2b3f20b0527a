// The keys of a service provider for encrypted assertions. They are other keys than the one that signs, so that neither use
// tells anything about the other.
import type { Context } from '../../base/context.ts'
import type { SsoConfiguration } from './configuration.ts'
import type { SsoFields } from './fields.ts'
import { encryptionKeySeal } from './secrets.ts'
import { newSpKey } from './sp-key.ts'

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
