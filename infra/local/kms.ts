// Stand-in for KMS, for local use only: AES-256-GCM, ECDSA and RSA with keys on disk. The encryption context is
// authenticated as in KMS, so a data key of one tenant cannot be decrypted for another.
import { generateKeyPairSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { AwsError } from './aws-error.ts'
import type { Actions } from './aws-server.ts'
import { type Disk, keptSecret } from './disk.ts'
import { type CustomerKeys, customerKeys } from './kms-customer-keys.ts'
import { sealing } from './kms-sealing.ts'
import { privateKeyOf, publicPart, type SignInput, signWith } from './kms-signing.ts'

/** A key as the operations see it. */
export type Key = {
  arn: string
  usage: 'ENCRYPT_DECRYPT' | 'SIGN_VERIFY'
  readonly secret: string
  enabled: boolean
  /** It rotates by itself, as the stacks set it for the key of data keys. */
  rotates?: boolean
}

export type Kms = {
  actions: Actions
  sealKeyId: string
  signKeyId: string
  /** Signs OAuth tokens (RSA-2048). */
  oauthKeyId: string
  /** A disabled key answers `DisabledException`. A restart enables it again. */
  setEnabled: (keyId: string, enabled: boolean) => void
  setRotation: (keyId: string, rotates: boolean) => void
  /** Keys of customers' own accounts. */
  customers: CustomerKeys
}

const arn = () => `arn:aws:kms:us-east-1:000000000000:key/${randomUUID()}`

const pkcs8 = (key: KeyObject) => key.export({ format: 'der', type: 'pkcs8' }).toString('base64')

/** Created on first use, because it is slow and often not needed. */
function tokenKey(disk: Disk): Key {
  const known = keptSecret(disk, 'kms-oauth-key-name.json', () => ({ arn: arn() }))
  const make = () => ({ secret: pkcs8(generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey) })
  return {
    arn: known.arn,
    usage: 'SIGN_VERIFY',
    enabled: true,
    get secret() {
      return keptSecret(disk, 'kms-oauth-key.json', make).secret
    },
  }
}

/** Creates missing keys: one for data keys, one for checkpoints (P-256), one for tokens (RSA-2048). */
export function createKms(disk: Disk): Kms {
  const stored = keptSecret(disk, 'kms-keys.json', () => ({
    seal: { arn: arn(), secret: randomBytes(32).toString('base64') },
    sign: {
      arn: arn(),
      secret: pkcs8(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
    },
  }))
  const oauth = tokenKey(disk)
  const keys: Key[] = [
    oauth,
    { ...stored.seal, usage: 'ENCRYPT_DECRYPT', enabled: true, rotates: true },
    { ...stored.sign, usage: 'SIGN_VERIFY', enabled: true },
  ]
  const customers = customerKeys(disk)
  const find = (id: string) => {
    const key = keys.find((one) => one.arn === id || one.arn.endsWith(`/${id}`)) ?? foreign(customers, id)
    if (!key) throw new AwsError('NotFoundException', `Key '${id}' does not exist`)
    return key
  }
  const usable = (id: string, usage: Key['usage']) => {
    const key = find(id)
    if (!key.enabled) throw new AwsError('DisabledException', `${key.arn} is disabled.`)
    if (key.usage !== usage) throw new AwsError('InvalidKeyUsageException', `${key.arn} key usage is ${key.usage}`)
    return key
  }
  return {
    sealKeyId: stored.seal.arn,
    signKeyId: stored.sign.arn,
    oauthKeyId: oauth.arn,
    setEnabled: (keyId, enabled) => {
      find(keyId).enabled = enabled
    },
    setRotation: (keyId, rotates) => {
      find(keyId).rotates = rotates
    },
    customers,
    actions: { ...sealing(usable), ...signing(usable), ...describing(find) },
  }
}

/** Throws `AccessDeniedException`, like KMS, for a key whose policy does not allow us. */
function foreign(customers: CustomerKeys, keyId: string): Key | undefined {
  const key = customers.find(keyId)
  if (key?.state === 'Denied') throw new AwsError('AccessDeniedException', `no policy lets us use ${keyId}`)
  return key && { ...key, usage: 'ENCRYPT_DECRYPT', enabled: key.state === 'Enabled' }
}

/** Finds a key; throws the error of KMS when it cannot be used this way. */
export type Usable = (id: string, usage: Key['usage']) => Key

function signing(usable: Usable): Actions {
  return {
    'TrentService.Sign': (input: SignInput) => {
      const key = usable(input.KeyId, 'SIGN_VERIFY')
      const Signature = signWith(privateKeyOf(key), input).toString('base64')
      return { KeyId: key.arn, Signature, SigningAlgorithm: input.SigningAlgorithm }
    },
    'TrentService.GetPublicKey': (input: { KeyId: string }) => {
      const key = usable(input.KeyId, 'SIGN_VERIFY')
      return { KeyId: key.arn, KeyUsage: key.usage, ...publicPart(privateKeyOf(key)) }
    },
  }
}

function describing(find: (id: string) => Key): Actions {
  return {
    'TrentService.DescribeKey': ({ KeyId }: { KeyId: string }) => {
      const { arn: Arn, enabled: Enabled, usage: KeyUsage } = find(KeyId)
      const KeyState = Enabled ? 'Enabled' : 'Disabled'
      const KeySpec = KeyUsage === 'ENCRYPT_DECRYPT' ? 'SYMMETRIC_DEFAULT' : undefined
      return { KeyMetadata: { KeyId: Arn.split('/').at(-1), Arn, Enabled, KeyState, KeyUsage, KeySpec } }
    },
    'TrentService.GetKeyRotationStatus': ({ KeyId }: { KeyId: string }) => {
      const { arn: Arn, usage, rotates = false } = find(KeyId)
      if (usage !== 'ENCRYPT_DECRYPT') throw new AwsError('UnsupportedOperationException', `${Arn} is asymmetric`)
      const period = rotates ? { RotationPeriodInDays: 365 } : {}
      return { KeyId: Arn.split('/').at(-1), KeyRotationEnabled: rotates, ...period }
    },
  }
}
