// Errors of a sign-in through an identity provider. Why a message is not valid is for administrators only, in the audit log:
// visitors could learn from it how to forge one. Everything else is shown to the person.
import { Failure, type FailureOptions, forbidden } from '../../base/lib/failure.ts'

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
