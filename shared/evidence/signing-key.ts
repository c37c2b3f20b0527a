// The deployment's one signing key, in KMS. Its public half is read once per container; only the checkpointer's role may
// sign with it.
import { env } from '../lib/env.ts'
import { unavailable } from '../lib/failure.ts'
import { sha256Hex } from '../lib/hash.ts'
import { once } from '../lib/memory.ts'
import { noteKey, type NoteKey } from './note.ts'

type SigningKey = { arn: string; spki: Uint8Array; spkiSha256: string; algorithm: 'ECDSA_SHA_256' | 'ED25519_SHA_512' }

export const signingKey = /* @__PURE__ */ once(async (): Promise<SigningKey> => {
  const { GetPublicKeyCommand, kms } = await import('../aws/kms.ts')
  const { PublicKey, KeyId, SigningAlgorithms } = await kms()
    .send(new GetPublicKeyCommand({ KeyId: env('SIGN_KEY_ID') }))
    .catch((cause: unknown) => {
      throw unavailable('The signing key does not answer.', cause)
    })
  if (!PublicKey || !KeyId) throw new Error('KMS answered without a public key')
  const algorithm = SigningAlgorithms?.includes('ED25519_SHA_512') ? 'ED25519_SHA_512' : 'ECDSA_SHA_256'
  return { arn: KeyId, spki: PublicKey, spkiSha256: sha256Hex(PublicKey), algorithm }
})

/** The key under the name with which it signs the checkpoints of one chain. */
export const checkpointKeyOf = async (name: string): Promise<NoteKey> => noteKey(name, (await signingKey()).spki)

/** Signs a text of at most 4,096 bytes (the limit of KMS for unhashed messages). */
export async function sign(text: string): Promise<Uint8Array> {
  const { SignCommand, kms } = await import('../aws/kms.ts')
  const { algorithm } = await signingKey()
  const { Signature } = await kms().send(
    new SignCommand({
      KeyId: env('SIGN_KEY_ID'),
      Message: Buffer.from(text),
      MessageType: 'RAW',
      SigningAlgorithm: algorithm,
    }),
  )
  if (!Signature) throw new Error('KMS answered without a signature')
  return Signature
}
