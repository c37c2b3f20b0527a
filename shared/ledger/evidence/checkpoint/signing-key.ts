// The KMS key that signs checkpoints, and the genesis of a chain, which fixes it. Its public key is read once per container;
// only the checkpointer's role may sign.
import { env } from '../../../base/lib/runtime.ts'
import { unavailable } from '../../../base/lib/failure.ts'
import { sha256Hex } from '../../../base/lib/json.ts'
import { once } from '../../../base/lib/memory.ts'
import type { Space } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Write } from '../../../base/table/entity.ts'
import { MODES } from '../../../base/table/members.ts'
import { geneses, genesisKey, headKey, heads } from '../chain/chain.ts'
import { chainName, genesisLink } from '../artifact/hashes.ts'

type SigningKey = {
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

/**
 * The writes that found both chains of a new tenant, for the commit that creates the tenant. The genesis fixes host, tenant
 * and signing key, so a chain of another host or tenant cannot pass for this one. `at` is in ms.
 */
export async function genesisWrites(tenant_id: string, at: number): Promise<Write[]> {
  const key = await signingKey()
  return MODES.flatMap((mode) => foundChain({ tenant_id, mode }, at, key))
}

function foundChain(space: Space, at: number, { spki, spkiSha256: key_spki_sha256 }: SigningKey): Write[] {
  const genesis = { chain: chainName(space), origin: env('EVIDENCE_ORIGIN'), created_at: iso(at), key_spki_sha256 }
  const empty = { size: 0, last: genesisLink(genesis), frontier: [], last_block: 0, finalized: 0, counts: {} }
  return [geneses.insert({ ...genesisKey(space), ...genesis, spki }), heads.insert({ ...headKey(space), ...empty })]
}
