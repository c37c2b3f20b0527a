// KMS, S3 and SQS in memory: as much of each as the service calls. Error names are AWS's own.
import {
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { Answerer } from './intercept.ts'

// Inputs come from the SDK's typed commands; one loose type for each service keeps the doubles short.
type KmsInput = {
  KeyId?: string
  Message: Uint8Array
  CiphertextBlob: Uint8Array
  EncryptionContext?: Record<string, string>
}
type S3Input = {
  Key: string
  Prefix: string
  StartAfter?: string
  Body: string | AsyncIterable<Buffer>
  IfNoneMatch?: string
}
type SqsEntry = {
  Id?: string
  MessageBody: string
  DelaySeconds?: number
  MessageAttributes?: { traceparent?: { StringValue?: string } }
}
type SqsInput = SqsEntry & { QueueUrl: string; Entries?: SqsEntry[] }

const failure = (name: string) => Object.assign(new Error(name), { name, $metadata: {} })

/** A P-256 signing key for every id that is asked for, and one wrapping key. `down` makes every call fail as a disabled key does. */
export class MemoryKms {
  down = false
  calls = 0
  /** Ids of signing keys that are gone. */
  readonly lost = new Set<string>()
  readonly #pairs = new Map<string, { publicKey: KeyObject; privateKey: KeyObject }>()
  readonly #wrapping = randomBytes(32)

  get spki(): Buffer {
    return this.spkiOf('sign')
  }

  spkiOf(id: string): Buffer {
    return this.#pairOf(id).publicKey.export({ format: 'der', type: 'spki' })
  }

  #pairOf(id: string) {
    const known = this.#pairs.get(id)
    if (known) return known
    const made = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#pairs.set(id, made)
    return made
  }

  readonly send: Answerer = async ({ name, input }) => {
    this.calls += 1
    if (this.down) throw failure('DisabledException')
    const { KeyId: asked = '', Message, CiphertextBlob, EncryptionContext } = input as KmsInput
    const id = asked.split('/').at(-1) ?? ''
    if (this.lost.has(id)) throw failure('NotFoundException')
    const KeyId = `arn:aws:kms:memory:000000000000:key/${id}`
    switch (name) {
      case 'GetPublicKey':
        return { KeyId, PublicKey: this.spkiOf(id), SigningAlgorithms: ['ECDSA_SHA_256'] }
      case 'Sign':
        return { KeyId, Signature: sign('sha256', Message, this.#pairOf(id).privateKey) }
      case 'GenerateDataKey': {
        const Plaintext = randomBytes(32)
        return { KeyId, Plaintext, CiphertextBlob: this.#wrap(Plaintext, EncryptionContext) }
      }
      case 'Decrypt':
        return { KeyId, Plaintext: this.#unwrap(CiphertextBlob, EncryptionContext) }
      default:
        throw new Error(`the in-memory KMS does not know ${name}`)
    }
  }

  #wrap(key: Uint8Array, context: object = {}): Uint8Array {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#wrapping, iv).setAAD(Buffer.from(JSON.stringify(context)))
    return Buffer.concat([iv, cipher.update(key), cipher.final(), cipher.getAuthTag()])
  }

  #unwrap(blob: Uint8Array, context: object = {}): Uint8Array {
    const bytes = Buffer.from(blob)
    const decipher = createDecipheriv('aes-256-gcm', this.#wrapping, bytes.subarray(0, 12))
    decipher.setAAD(Buffer.from(JSON.stringify(context))).setAuthTag(bytes.subarray(-16))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()])
    } catch {
      throw failure('InvalidCiphertextException')
    }
  }
}

/** Whatever secret is asked for: `secret` serves as all of them. */
export const memorySecrets =
  (secret: object = { root: 'r'.repeat(44), key: 'k'.repeat(44) }): Answerer =>
  async () => ({ SecretString: JSON.stringify(secret) })

/** One bucket. Without `conditional` it ignores If-None-Match, as some compatible stores do. */
export class MemoryS3 {
  readonly objects = new Map<string, string>()
  conditional = true
  down = false
  /** Called before a put takes effect: the place for a competitor. */
  beforePut: (key: string) => void = () => undefined
  /** Called before names are listed. */
  onList: () => void = () => undefined

  readonly send: Answerer = async ({ name, input }) => {
    if (this.down) throw failure('ServiceUnavailable')
    const { Key, Prefix, StartAfter = '', Body, IfNoneMatch } = input as S3Input
    switch (name) {
      case 'GetObject': {
        const text = this.objects.get(Key)
        if (text === undefined) throw failure('NoSuchKey')
        const bytes = Buffer.from(text, 'latin1')
        return {
          Body: { transformToString: async () => text, transformToWebStream: () => new Blob([bytes]).stream() },
          ContentLength: bytes.length,
          VersionId: '1',
        }
      }
      case 'ListObjectsV2': {
        this.onList()
        const keys = [...this.objects.keys()].filter((key) => key.startsWith(Prefix) && key > StartAfter).toSorted()
        const Contents = keys.slice(0, 1_000).map((key) => ({ Key: key, Size: this.objects.get(key)?.length ?? 0 }))
        return { Contents, IsTruncated: keys.length > 1_000 }
      }
      case 'PutObject':
        this.beforePut(Key)
        if (this.conditional && IfNoneMatch === '*' && this.objects.has(Key)) throw failure('PreconditionFailed')
        this.objects.set(Key, await textOf(Body))
        return { VersionId: '1' }
      case 'DeleteObject':
        this.objects.delete(Key)
        return {}
      default:
        throw new Error(`the in-memory S3 does not know ${name}`)
    }
  }
}

/** A file that is streamed becomes a text with one character for each byte. */
const textOf = async (body: S3Input['Body']): Promise<string> =>
  typeof body === 'string' ? body : (await buffer(body)).toString('latin1')

/** All queues as one list of messages. */
export class MemorySqs {
  readonly messages: { queue: string; body: string; delaySeconds: number; traceparent?: string | undefined }[] = []

  readonly send: Answerer = async ({ name, input }) => {
    const { QueueUrl, Entries = [input as SqsEntry] } = input as SqsInput
    if (!['SendMessage', 'SendMessageBatch'].includes(name)) throw new Error(`the in-memory SQS does not know ${name}`)
    const sent = Entries.map(({ Id, MessageBody, DelaySeconds = 0, MessageAttributes }) => {
      const traceparent = MessageAttributes?.traceparent?.StringValue
      this.messages.push({ queue: QueueUrl, body: MessageBody, delaySeconds: DelaySeconds, traceparent })
      return { Id, MessageId: String(this.messages.length), MD5OfMessageBody: hash('md5', MessageBody) }
    })
    return name === 'SendMessage' ? { ...sent[0] } : { Successful: sent, Failed: [] }
  }
}
