// Errors of a sign-in through an identity provider. Their text is shown to the person, who may pass it to an administrator. It
// never repeats data of the request.
import { Failure, forbidden } from '../../base/lib/failure.ts'

/** The message of the provider is not valid. `cause`: the error of a library, for the log. */
export const invalidMessage = (why: string, cause?: unknown): Failure => new Failure('unauthenticated', why, { cause })

/** The message is valid, but the person may not sign in. */
export const notAdmitted = (why: string): Failure => forbidden(why)

/** No sign-in of this browser waits for the message. */
export const unknownRequest = (): Failure =>
  new Failure('unauthenticated', 'This sign-in has ended, took too long, or began in another browser.')
