// Why a sign-in through an identity provider went no further: words for the person in front of the browser, who will show
// them to an administrator. None of them repeats what was sent.
import { Failure, forbidden } from '../../base/lib/failure.ts'

/** What the provider said is not believed. `cause`: what a library found, for the log. */
export const notBelieved = (why: string, cause?: unknown): Failure => new Failure('unauthenticated', why, { cause })

/** It is believed, and does not suffice. */
export const notAdmitted = (why: string): Failure => forbidden(why)

/** The sign-in is over, or was begun elsewhere. */
export const notBegun = (): Failure =>
  new Failure('unauthenticated', 'This sign-in was not begun in this browser, is over, or took too long.')
