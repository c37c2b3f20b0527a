// The deployment's one secret, read once per container: the pepper of API keys and the root of derived keys.
import * as z from 'zod'
import { env } from '../lib/runtime.ts'
import { derive } from '../lib/json.ts'
import { once } from '../lib/memory.ts'

const Secret = z.object({
  /** At least 32 random bytes, base64. */
  root: z.string().min(43),
  /** Absent until the first rotation; until then the pepper is derived from the root. */
  pepper: z.object({ id: z.string(), value: z.string().min(32) }).optional(),
  /** Valid while keys are rotated. */
  previous_pepper: z.object({ id: z.string(), value: z.string().min(32) }).optional(),
  /** Signatures under the former root are accepted until `until` (ISO 8601). Set both peppers before changing the root. */
  previous_root: z.object({ value: z.string().min(43), until: z.string() }).optional(),
})
export type DeploymentSecret = Required<Pick<z.output<typeof Secret>, 'root' | 'pepper'>> & z.output<typeof Secret>

const rootBytes = ({ root }: { root: string }) => Buffer.from(root, 'base64')

/** Loads the Secrets Manager client only when a secret is needed, because loading it costs start-up time. */
async function readSecret(): Promise<DeploymentSecret> {
  const { GetSecretValueCommand, secretsManager } = await import('./secrets-manager.ts')
  const { SecretString } = await secretsManager().send(new GetSecretValueCommand({ SecretId: env('SECRET_ID') }))
  const secret = Secret.parse(JSON.parse(SecretString ?? '{}'))
  const first = { id: '1', value: Buffer.from(derive(rootBytes(secret), 'api-key pepper')).toString('hex') }
  const { pepper, previous_pepper = pepper && first } = secret
  return { ...secret, pepper: pepper ?? first, previous_pepper }
}

export const deploymentSecret = /* @__PURE__ */ once(readSecret)

/** A 32-byte key for one purpose. */
export async function derivedKey(purpose: string): Promise<Uint8Array> {
  return derive(rootBytes(await deploymentSecret()), purpose)
}

/** The former key for a purpose; undefined when it has expired. */
export async function formerKey(purpose: string, now: number): Promise<Uint8Array | undefined> {
  const { previous_root: former } = await deploymentSecret()
  return former && Date.parse(former.until) > now ? derive(rootBytes({ root: former.value }), purpose) : undefined
}

/**
 * Keys for values that never expire: the present one, and the former one as long as the secret holds it. `anew`: not as this
 * container has read it.
 */
export async function lastingKeys(purpose: string, { anew = false } = {}): Promise<[Uint8Array, ...Uint8Array[]]> {
  const { root, previous_root: former } = await (anew ? readSecret() : deploymentSecret())
  const keyOf = (value: string) => derive(rootBytes({ root: value }), purpose)
  return [keyOf(root), ...(former ? [keyOf(former.value)] : [])]
}
