// Signatures of the KMS stand-in: ECDSA over messages (checkpoints), RSA PKCS #1 v1.5 over messages and digests (tokens).
import { constants, createPrivateKey, createPublicKey, type KeyObject, privateEncrypt, sign } from 'node:crypto'
import { AwsError } from './aws-error.ts'

export type SignInput = { KeyId: string; Message: string; MessageType?: string; SigningAlgorithm: string }

const KINDS = {
  ec: { spec: 'ECC_NIST_P256', algorithm: 'ECDSA_SHA_256', digests: false },
  rsa: { spec: 'RSA_2048', algorithm: 'RSASSA_PKCS1_V1_5_SHA_256', digests: true },
}

const MESSAGE_BYTES_MAX = 4_096
const DIGEST_BYTES = 32
/** DER of the DigestInfo that names SHA-256 (RFC 8017, section 9.2). */
const SHA_256_INFO = Buffer.from('3031300d060960864801650304020105000420', 'hex')

export const privateKeyOf = ({ secret }: { secret: string }): KeyObject =>
  createPrivateKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'pkcs8' })

const kindOf = (key: KeyObject) => (key.asymmetricKeyType === 'rsa' ? KINDS.rsa : KINDS.ec)

/** Throws `ValidationException` for another algorithm than the key's, and for inputs that the service does not use. */
export function signWith(key: KeyObject, { Message, MessageType = 'RAW', SigningAlgorithm }: SignInput): Buffer {
  const { algorithm, digests } = kindOf(key)
  const message = Buffer.from(Message, 'base64')
  const raw = MessageType === 'RAW' && message.length <= MESSAGE_BYTES_MAX
  const digest = digests && MessageType === 'DIGEST' && message.length === DIGEST_BYTES
  if (SigningAlgorithm !== algorithm || !(raw || digest)) {
    throw new AwsError('ValidationException', `only ${algorithm}, over RAW messages of at most 4096 bytes or a digest`)
  }
  if (raw) return sign('sha256', message, key)
  return privateEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.concat([SHA_256_INFO, message]))
}

/** The answer of GetPublicKey. */
export function publicPart(key: KeyObject) {
  const { spec, algorithm } = kindOf(key)
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return { PublicKey: spki.toString('base64'), KeySpec: spec, SigningAlgorithms: [algorithm] }
}
