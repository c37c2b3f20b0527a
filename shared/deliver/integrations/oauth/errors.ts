// How asking a provider fails. Apart from the calls, whose library is loaded late.

/** The provider says no, with a code of RFC 6749 or its own. */
export class Refused extends Error {
  readonly code: string

  constructor(code: string) {
    super(`the provider refuses: ${code}`)
    this.code = code
  }
}

/** No answer, or none that can be used. */
export class Unanswered extends Error {}
