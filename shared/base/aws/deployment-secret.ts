// The deployment's one secret, read once per container: the pepper of API keys and the root of derived keys.
import * as z from 'zod'
import { env } from '../lib/env.ts'
import { derive } from '../lib/hash.ts'
import { once } from '../lib/memory.ts'

const Secret = z.object({
  /** `root`: at least 32 random bytes, base64. The former pepper stays valid while keys are rotated. */
  root: z.string().min(43),
  /** Absent until it is first rotated: until then it is derived from the root. */
  pepper: z.object({ id: z.string(), value: z.string().min(32) }).optional(),
  previous_pepper: z.object({ id: z.string(), value: z.string().min(32) }).optional(),
  /** The former root, and until when what was signed under it counts (ISO 8601). Set both peppers before changing the root. */
  previous_root: z.object({ value: z.string().min(43), until: z.string() }).optional(),
})
export type DeploymentSecret = Required<Pick<z.output<typeof Secret>, 'root' | 'pepper'>> & z.output<typeof Secret>

const rootBytes = ({ root }: { root: string }) => Buffer.from(root, 'base64')

/** The Secrets Manager client is loaded only when a secret is needed: it costs start-up time. */
export const deploymentSecret = /* @__PURE__ */ once(async (): Promise<DeploymentSecret> => {
  const { GetSecretValueCommand, secretsManager } = await import('./secrets-manager.ts')
  const { SecretString } = await secretsManager().send(new GetSecretValueCommand({ SecretId: env('SECRET_ID') }))
  const secret = Secret.parse(JSON.parse(SecretString ?? '{}'))
  const first = { id: '1', value: Buffer.from(derive(rootBytes(secret), 'api-key pepper')).toString('hex') }
  const { pepper, previous_pepper = pepper && first } = secret
  return { ...secret, pepper: pepper ?? first, previous_pepper }
})

/** A 32-byte key for one purpose. */
export async function derivedKey(purpose: string): Promise<Uint8Array> {
  return derive(rootBytes(await deploymentSecret()), purpose)
}

/** The former key for a purpose, while it counts. */
export async function formerKey(purpose: string, now: number): Promise<Uint8Array | undefined> {
  const { previous_root: former } = await deploymentSecret()
  return former && Date.parse(former.until) > now ? derive(rootBytes({ root: former.value }), purpose) : undefined
}
