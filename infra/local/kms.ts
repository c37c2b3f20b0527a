// Stand-in for KMS: real AES-256-GCM and ECDSA with keys on disk. The encryption context is authenticated as in KMS, so a
// data key sealed for one tenant cannot be opened for another. Never for anything but local use.
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import { AwsError } from './aws-error.ts'
import type { Actions } from './aws-server.ts'
import { type Disk, keptSecret } from './disk.ts'
import { decrypt, encrypt, type EncryptionContext, keyOf } from './kms-envelope.ts'

type Key = { arn: string; usage: 'ENCRYPT_DECRYPT' | 'SIGN_VERIFY'; secret: string; enabled: boolean }

export type Kms = {
  actions: Actions
  sealKeyId: string
  signKeyId: string
  /** A disabled key answers `DisabledException` until it is enabled again; not kept across restarts. */
  setEnabled: (keyId: string, enabled: boolean) => void
}

const DATA_KEY_BYTES = 32 // AES_256, the only kind that is asked for
const arn = () => `arn:aws:kms:us-east-1:000000000000:key/${randomUUID()}`

/** Makes a sealing and a signing key (P-256) when the directory has none. */
export function createKms(disk: Disk): Kms {
  const stored = keptSecret(disk, 'kms-keys.json', () => ({
    seal: { arn: arn(), secret: randomBytes(32).toString('base64') },
    sign: {
      arn: arn(),
      secret: generateKeyPairSync('ec', { namedCurve: 'P-256' })
        .privateKey.export({ format: 'der', type: 'pkcs8' })
        .toString('base64'),
    },
  }))
  const keys: Key[] = [
    { ...stored.seal, usage: 'ENCRYPT_DECRYPT', enabled: true },
    { ...stored.sign, usage: 'SIGN_VERIFY', enabled: true },
  ]
  const find = (id: string) => {
    const key = keys.find((one) => one.arn === id || one.arn.endsWith(`/${id}`))
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
    setEnabled: (keyId, enabled) => {
      find(keyId).enabled = enabled
    },
    actions: { ...sealing(usable), ...signing(usable), ...describing(find) },
  }
}

type Usable = (id: string, usage: Key['usage']) => Key

type Bound = { EncryptionContext?: EncryptionContext }

function sealing(usable: Usable): Actions {
  return {
    'TrentService.GenerateDataKey': (input: { KeyId: string } & Bound) => {
      const key = usable(input.KeyId, 'ENCRYPT_DECRYPT')
      const plaintext = randomBytes(DATA_KEY_BYTES)
      const CiphertextBlob = encrypt(key, plaintext, input.EncryptionContext).toString('base64')
      return { CiphertextBlob, Plaintext: plaintext.toString('base64'), KeyId: key.arn }
    },
    'TrentService.Decrypt': (input: { CiphertextBlob: string; KeyId?: string } & Bound) => {
      const blob = Buffer.from(input.CiphertextBlob, 'base64')
      const named = keyOf(blob)
      if (!named.startsWith('arn:')) throw new AwsError('InvalidCiphertextException', '')
      if (input.KeyId && !named.endsWith(input.KeyId))
        throw new AwsError('IncorrectKeyException', 'another key sealed it')
      const key = usable(named, 'ENCRYPT_DECRYPT')
      return { Plaintext: decrypt(key, blob, input.EncryptionContext).toString('base64'), KeyId: key.arn }
    },
  }
}

const ALGORITHM = 'ECDSA_SHA_256'
const privateKey = ({ secret }: Key) =>
  createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' })

function signing(usable: Usable): Actions {
  return {
    'TrentService.Sign': (input: {
      KeyId: string
      Message: string
      MessageType?: string
      SigningAlgorithm: string
    }) => {
      const key = usable(input.KeyId, 'SIGN_VERIFY')
      const message = Buffer.from(input.Message, 'base64')
      const raw = input.MessageType === undefined || input.MessageType === 'RAW'
      if (input.SigningAlgorithm !== ALGORITHM || !raw || message.length > 4_096) {
        throw new AwsError('ValidationException', `only ${ALGORITHM} over RAW messages of at most 4096 bytes`)
      }
      const Signature = sign('sha256', message, privateKey(key)).toString('base64')
      return { KeyId: key.arn, Signature, SigningAlgorithm: ALGORITHM }
    },
    'TrentService.GetPublicKey': (input: { KeyId: string }) => {
      const key = usable(input.KeyId, 'SIGN_VERIFY')
      const spki = createPublicKey(privateKey(key)).export({ format: 'der', type: 'spki' })
      const facts = { KeySpec: 'ECC_NIST_P256', KeyUsage: key.usage, SigningAlgorithms: [ALGORITHM] }
      return { KeyId: key.arn, PublicKey: spki.toString('base64'), ...facts }
    },
  }
}

function describing(find: (id: string) => Key): Actions {
  return {
    'TrentService.DescribeKey': ({ KeyId }: { KeyId: string }) => {
      const { arn: Arn, enabled: Enabled, usage: KeyUsage } = find(KeyId)
      const KeyState = Enabled ? 'Enabled' : 'Disabled'
      return { KeyMetadata: { KeyId: Arn.split('/').at(-1), Arn, Enabled, KeyState, KeyUsage } }
    },
  }
}
