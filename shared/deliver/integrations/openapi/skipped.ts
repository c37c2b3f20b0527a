/** Why an operation of a document cannot become an action. */
export type SkipReason =
  | 'broken_reference'
  | 'deprecated'
  | 'remote_reference'
  | 'required_authorization'
  | 'required_cookie'
  | 'unsupported_body'
  | 'unsupported_method'
  | 'unsupported_parameter'
  | 'unsupported_path'

/** Thrown while an operation is converted. */
export class Skipped extends Error {
  readonly reason: SkipReason

  constructor(reason: SkipReason) {
    super(reason)
    this.reason = reason
  }
}
