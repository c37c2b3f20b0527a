// Stand-in for KMS: real AES-256-GCM and ECDSA with keys on disk. The encryption context is authenticated as in KMS, so a
// data key sealed for one tenant cannot be opened for another. Never for anything but local use.
import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  randomUUID,
  sign,
} from 'node:crypto'
import { AwsError } from './aws-error.ts'
import type { Actions } from './aws-server.ts'
import { type Disk, keptSecret } from './disk.ts'

type Key = { arn: string; usage: 'ENCRYPT_DECRYPT' | 'SIGN_VERIFY'; secret: string; enabled: boolean }
type Context = Record<string, string> | undefined

export type Kms = {
  actions: Actions
  sealKeyId: string
  signKeyId: string
  /** A disabled key answers `DisabledException` until it is enabled again; not kept across restarts. */
  setEnabled(keyId: string, enabled: boolean): void
}

const IV_BYTES = 12
const TAG_BYTES = 16
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

function sealing(usable: Usable): Actions {
  return {
    'TrentService.GenerateDataKey': (input: { KeyId: string; EncryptionContext?: Context; NumberOfBytes?: number }) => {
      const key = usable(input.KeyId, 'ENCRYPT_DECRYPT')
      const plaintext = randomBytes(input.NumberOfBytes ?? 32)
      const CiphertextBlob = encrypt(key, plaintext, input.EncryptionContext).toString('base64')
      return { CiphertextBlob, Plaintext: plaintext.toString('base64'), KeyId: key.arn }
    },
    'TrentService.Encrypt': (input: { KeyId: string; Plaintext: string; EncryptionContext?: Context }) => {
      const key = usable(input.KeyId, 'ENCRYPT_DECRYPT')
      const plaintext = Buffer.from(input.Plaintext, 'base64')
      return { CiphertextBlob: encrypt(key, plaintext, input.EncryptionContext).toString('base64'), KeyId: key.arn }
    },
    'TrentService.Decrypt': (input: { CiphertextBlob: string; EncryptionContext?: Context; KeyId?: string }) => {
      const blob = Buffer.from(input.CiphertextBlob, 'base64')
      const keyId = blob.subarray(1, 1 + (blob[0] ?? 0)).toString()
      if (input.KeyId && !keyId.endsWith(input.KeyId)) {
        throw new AwsError(
          'IncorrectKeyException',
          'The key ID in the request does not identify a CMK that can perform this operation.',
        )
      }
      if (!keyId.startsWith('arn:')) throw new AwsError('InvalidCiphertextException', '')
      const key = usable(keyId, 'ENCRYPT_DECRYPT')
      return { Plaintext: decrypt(key, blob, input.EncryptionContext).toString('base64'), KeyId: key.arn }
    },
  }
}

/** The context in one order, so that it authenticates the same however it was written. */
const authenticated = (context: Context) =>
  Buffer.from(JSON.stringify(Object.entries(context ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1))))

/** Length and ARN of the key, IV, tag, ciphertext. */
function encrypt({ arn: keyId, secret }: Key, plaintext: Buffer, context: Context): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(secret, 'base64'), iv).setAAD(authenticated(context))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([Buffer.from([keyId.length]), Buffer.from(keyId), iv, cipher.getAuthTag(), ciphertext])
}

function decrypt({ arn: keyId, secret }: Key, blob: Buffer, context: Context): Buffer {
  const [iv, tag] = [1 + keyId.length, 1 + keyId.length + IV_BYTES]
  try {
    const cipher = createDecipheriv('aes-256-gcm', Buffer.from(secret, 'base64'), blob.subarray(iv, tag))
    cipher.setAAD(authenticated(context)).setAuthTag(blob.subarray(tag, tag + TAG_BYTES))
    return Buffer.concat([cipher.update(blob.subarray(tag + TAG_BYTES)), cipher.final()])
  } catch {
    throw new AwsError('InvalidCiphertextException', '')
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
