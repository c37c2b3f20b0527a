// The KMS key that signs checkpoints. Its public key is read once per container; only the checkpointer's role may sign.
import { env } from '../../../base/lib/runtime.ts'
import { unavailable } from '../../../base/lib/failure.ts'
import { sha256Hex } from '../../../base/lib/json.ts'
import { once } from '../../../base/lib/memory.ts'

export type SigningKey = {
  arn: string
  spki: Uint8Array
  spkiSha256: string
  algorithm: 'ECDSA_SHA_256' | 'ED25519_SHA_512'
}

export const signingKey = /* @__PURE__ */ once(() => readKey(env('SIGN_KEY_ID')))

/** The former keys, newest first, without deleted ones. */
export async function formerKeys(): Promise<SigningKey[]> {
  const ids = (process.env.FORMER_SIGN_KEY_IDS ?? '').split(',').filter((id) => id !== '')
  const found = await Promise.all(ids.toReversed().map((id) => readKey(id).catch(goneOrThrow)))
  return found.filter((key) => key !== undefined)
}

/** KMS errors for a key that is deleted, pending deletion or disabled. */
const GONE = ['NotFoundException', 'KMSInvalidStateException', 'DisabledException']

function goneOrThrow(error: unknown): undefined {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error && GONE.includes(cause.name))) throw error
}

/** Reads the public key of a signing key. */
async function readKey(keyId: string): Promise<SigningKey> {
  const { GetPublicKeyCommand, kms } = await import('../../../base/aws/kms.ts')
  const { PublicKey, KeyId, SigningAlgorithms } = await kms()
    .send(new GetPublicKeyCommand({ KeyId: keyId }))
    .catch((cause: unknown) => {
      throw unavailable('The signing key does not answer. Try again in a second.', cause)
    })
  if (!PublicKey || !KeyId) throw new Error('KMS answered without a public key')
  const algorithm = SigningAlgorithms?.includes('ED25519_SHA_512') ? 'ED25519_SHA_512' : 'ECDSA_SHA_256'
  return { arn: KeyId, spki: PublicKey, spkiSha256: sha256Hex(PublicKey), algorithm }
}

/** Signs a text of at most 4,096 bytes (the limit of KMS for unhashed messages). */
export async function sign(text: string, { arn, algorithm }: SigningKey): Promise<Uint8Array> {
  const { SignCommand, kms } = await import('../../../base/aws/kms.ts')
  const { Signature } = await kms().send(
    new SignCommand({
      KeyId: arn,
      Message: Buffer.from(text),
      MessageType: 'RAW',
      SigningAlgorithm: algorithm,
    }),
  )
  if (!Signature) throw new Error('KMS answered without a signature')
  return Signature
}
