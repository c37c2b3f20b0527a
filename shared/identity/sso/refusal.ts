// Errors of a sign-in through an identity provider. Why a message is not valid is for administrators only, in the audit log:
// visitors could learn from it how to forge one. Everything else is shown to the person. At the end: the checks of domain and tenant
// that both protocols make.
import { Failure, type FailureOptions, forbidden } from '../../base/lib/failure.ts'
import { verifiedDomain } from '../domains/domain.ts'
import type { Table } from '../../base/table/table.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import type { Tenant } from '../../base/tenant/tenant.ts'
import { isMailbox, mailHost } from '../../base/lib/mailbox.ts'
import type { SsoConfiguration } from './settings/configuration.ts'

/** What is wrong with a message, as one word for administrators. */
export type InvalidBecause =
  | 'message'
  | 'signature'
  | 'certificate'
  | 'issuer'
  | 'audience'
  | 'destination'
  | 'request'
  | 'confirmation'
  | 'time'
  | 'replay'
  | 'encryption'
  | 'status'

/** `detail` is for administrators. */
export class InvalidMessage extends Failure {
  readonly because: InvalidBecause

  constructor(because: InvalidBecause, why: string, options?: FailureOptions) {
    super('unauthenticated', why, options)
    this.because = because
  }
}

/** The message of the provider is not valid. `cause`: the error of a library, for the log. */
export const invalidMessage = (because: InvalidBecause, why: string, cause?: unknown): InvalidMessage =>
  new InvalidMessage(because, why, { cause })

const SEEN_MAX = 200

/** A value of an unverified message, as administrators may see it: quoted, and not long. */
export const seen = (value: string | undefined): string =>
  value === undefined ? 'nothing' : JSON.stringify(value.slice(0, SEEN_MAX).toWellFormed())

/** The message is valid, but the person may not sign in. */
export const notAdmitted = (why: string): Failure => forbidden(why)

/** No sign-in of this browser waits for the message. */
export const unknownRequest = (): Failure =>
  new Failure('unauthenticated', 'This sign-in has ended, took too long, or began in another browser.')

/**
 * An identity provider may sign in only people with addresses of domains that its tenant lists and has verified: throws 403 for all
 * others. `verified`: new people may get an account. `lapsed`: only people with an account.
 */
export async function mustSpeakFor(
  table: Table,
  { tenant_id, domains }: SsoConfiguration,
  email: string,
): Promise<'verified' | 'lapsed'> {
  const domain = mailHost(email)
  const status =
    isMailbox(email) && domains.includes(domain) ? await verifiedDomain(table, tenant_id, domain) : undefined
  if (!status) throw notAdmitted('The e-mail address does not belong to a verified domain of this organisation.')
  return status
}

/** Throws 403 for a tenant that is not active. A lower plan refuses nobody: an existing configuration stays in force. */
export async function mustBeOpen(table: Table, tenant_id: string): Promise<Tenant> {
  const tenant = await tenantOf(table, tenant_id)
  if (tenant.status !== 'active') throw notAdmitted(`Your tenant is ${tenant.status}. Ask an owner of it.`)
  return tenant
}
