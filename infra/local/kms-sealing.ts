// Data key operations of the KMS stand-in: generate, decrypt and re-encrypt.
import { randomBytes } from 'node:crypto'
import { AwsError } from './aws-error.ts'
import type { Actions } from './aws-server.ts'
import type { Usable } from './kms.ts'
import { decrypt, encrypt, type EncryptionContext, keyOf } from './kms-envelope.ts'

const DATA_KEY_BYTES = 32 // AES_256, the only kind that the service uses

type Bound = { EncryptionContext?: EncryptionContext | undefined }
type Sealed = { CiphertextBlob: string; KeyId?: string | undefined } & Bound
type ReEncrypt = {
  CiphertextBlob: string
  SourceKeyId?: string
  SourceEncryptionContext?: EncryptionContext
  DestinationKeyId: string
  DestinationEncryptionContext?: EncryptionContext
}

function opened(usable: Usable, { CiphertextBlob, KeyId, EncryptionContext }: Sealed) {
  const blob = Buffer.from(CiphertextBlob, 'base64')
  const named = keyOf(blob)
  if (!named.startsWith('arn:')) throw new AwsError('InvalidCiphertextException', '')
  if (KeyId && !named.endsWith(KeyId))
    throw new AwsError('IncorrectKeyException', 'the ciphertext belongs to another key')
  const key = usable(named, 'ENCRYPT_DECRYPT')
  return { key, plaintext: decrypt(key, blob, EncryptionContext) }
}

export function sealing(usable: Usable): Actions {
  return {
    'TrentService.GenerateDataKey': (input: { KeyId: string } & Bound) => {
      const key = usable(input.KeyId, 'ENCRYPT_DECRYPT')
      const plaintext = randomBytes(DATA_KEY_BYTES)
      const CiphertextBlob = encrypt(key, plaintext, input.EncryptionContext).toString('base64')
      return { CiphertextBlob, Plaintext: plaintext.toString('base64'), KeyId: key.arn }
    },
    'TrentService.Decrypt': (input: { CiphertextBlob: string; KeyId?: string } & Bound) => {
      const { key, plaintext } = opened(usable, input)
      return { Plaintext: plaintext.toString('base64'), KeyId: key.arn }
    },
    'TrentService.ReEncrypt': (input: ReEncrypt) => {
      const { SourceKeyId: KeyId, SourceEncryptionContext: EncryptionContext, DestinationKeyId } = input
      const { key, plaintext } = opened(usable, { ...input, KeyId, EncryptionContext })
      const target = usable(DestinationKeyId, 'ENCRYPT_DECRYPT')
      const CiphertextBlob = encrypt(target, plaintext, input.DestinationEncryptionContext).toString('base64')
      return { CiphertextBlob, SourceKeyId: key.arn, KeyId: target.arn }
    },
  }
}
