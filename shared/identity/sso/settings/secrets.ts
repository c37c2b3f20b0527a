// Seals the secrets of a configuration: the service provider's private keys and the client secret.
import { textSeal } from '../../../ledger/sealing/seal.ts'
import { ssoConfigurations } from './configuration.ts'

type Whose = { tenant_id: string }

const sealed = (attribute: string) => {
  const { seal, open } = textSeal(attribute)
  const at = ({ tenant_id }: Whose) => [{ tenant_id, mode: 'live' }, ssoConfigurations.key({ tenant_id })] as const
  return {
    seal: (of: Whose, text: string): Promise<string> => seal(...at(of), text),
    open: (of: Whose, text: string): Promise<string> => open(...at(of), text),
  }
}

/** Sealed under the tenant's data key and bound to the tenant's configuration. */
export const privateKeySeal = sealed('sp.private_key')
export const encryptionKeySeal = sealed('sp.encryption')
export const clientSecretSeal = sealed('oidc.client_secret')
