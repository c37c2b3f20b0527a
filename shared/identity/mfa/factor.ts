// The second factors of a person, stored beside the account. Secrets are sealed; of a passkey only the public key is stored.
// All are bound: nobody signs in with a key or a code that they wrote into the table.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { displayName } from '../../base/wire/fields.ts'
import { conflict } from '../../base/lib/failure.ts'
import { bound } from '../../base/table/bound.ts'
import { key, type Stored, type Update, type Write } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import type { User } from '../accounts/user.ts'

const common = {
  tenant_id: z.string(),
  user_id: z.string(),
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  /** ms. An unconfirmed factor is deleted then. The first correct code confirms the factor and removes this. */
  expires_at: z.int().optional(),
}

export const Totp = z.object({
  ...common,
  type: z.literal('totp'),
  /** Sealed; the secret as base64. */
  secret: z.string(),
  /** The last time step whose code was accepted. */
  last_step: z.int(),
  /** Instants (ms) of recent wrong codes, and until when no code is checked. */
  failures: z.array(z.int()),
  locked_until: z.int(),
})
export type Totp = z.output<typeof Totp>

export const Passkey = z.object({
  ...common,
  type: z.literal('webauthn'),
  /** Both base64url. */
  credential_id: z.string(),
  public_key: z.string(),
  /** 0: this authenticator does not count. */
  counter: z.int(),
  transports: z.array(z.string()),
  /** Its key may live on several devices of the person. */
  synced: z.boolean(),
})
export type Passkey = z.output<typeof Passkey>

export const Factor = z.discriminatedUnion('type', [Totp, Passkey])
export type Factor = z.output<typeof Factor>

/** Most factors of one person. */
export const FACTORS_MAX = 10

const personKey = (of: { tenant_id: string; user_id: string }) => key('T', of.tenant_id, 'live', 'USER', of.user_id)

export const factors = bound({
  name: 'FACTOR',
  schema: Factor,
  key: (of: Pick<Factor, 'tenant_id' | 'user_id' | 'id'>) => ({ pk: personKey(of), sk: key('MFA', of.id) }),
  ttl: ({ expires_at }) => expires_at && Math.ceil(expires_at / 1_000),
  free: ['last_used_at', 'counter', 'last_step', 'failures', 'locked_until'],
})

/** Codes for when all factors are lost; see `recovery.ts`. */
export const recoveryCodes = bound({
  name: 'RECOVERY',
  schema: z.object({
    tenant_id: z.string(),
    user_id: z.string(),
    /** HMACs (base64url) of those not used yet. */
    codes: z.array(z.string()),
    created_at: z.string(),
  }),
  key: (of: { tenant_id: string; user_id: string }) => ({ pk: personKey(of), sk: 'RECOVERY' }),
})

export const isActive = ({ expires_at }: Factor): boolean => expires_at === undefined

export type Person = Pick<User, 'id' | 'tenant_id'>

/** Includes unconfirmed factors until they expire. Oldest first. */
export async function allFactorsOf(table: Table, { tenant_id, id: user_id }: Person): Promise<Stored<Factor>[]> {
  const all = await table.query(factors, { pk: personKey({ tenant_id, user_id }), prefix: 'MFA#' })
  return all.filter(({ expires_at }) => expires_at === undefined || expires_at > table.clock.now())
}

/** The confirmed factors of a person. */
export const factorsOf = async (table: Table, person: Person): Promise<Stored<Factor>[]> =>
  (await allFactorsOf(table, person)).filter(isActive)

/** Changes a factor as it was read: of concurrent attempts only one succeeds. */
export const changeFactor = (factor: Stored<Factor>, set: NonNullable<Update['set']>): Write =>
  factors.update(
    factor,
    { set, condition: { expression: '#_v = :was', names: { '#_v': '_v' }, values: { ':was': factor._v } } },
    concurrentAttempt(),
  )

export const concurrentAttempt = () => conflict('Another attempt is in progress. Try again.')

/** The space in which a person's secrets are sealed, for requests of both modes. */
export const homeOf = ({ tenant_id }: { tenant_id: string }): Context['space'] => ({ tenant_id, mode: 'live' })

/** The name that a person gives a factor. */
export const FactorName = displayName(80)

export const FactorView = z.object({
  id: z.string().describe('The id, which never changes.'),
  type: z.enum(['totp', 'webauthn']).describe('The kind of the factor.'),
  name: z.string().describe('A name for people.'),
  created_at: z.string().describe('When it was created.'),
  last_used_at: z.string().nullable().describe('When it was last used, rounded to the hour.'),
})

/** A factor that was just added. The first one of a person comes with recovery codes, which are shown only then. */
export type Added<F extends Factor> = F & { recovery_codes: string[] | undefined }

export const AddedFactor = FactorView.extend({
  recovery_codes: z
    .array(z.string())
    .optional()
    .describe(
      'With the first factor of a person: codes for when all factors are lost. Each works once. They are shown only here.',
    ),
})
