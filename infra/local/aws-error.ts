// An error of a stand-in with the name and status of AWS, so that the SDK throws the same class as in AWS.

export class AwsError extends Error {
  readonly status: number
  /** SQS only: the name in its older protocol, which the SDK still reads. */
  readonly queryCode: string | undefined

  constructor(name: string, message: string, options: { status?: number; queryCode?: string } = {}) {
    super(message)
    this.name = name
    this.status = options.status ?? 400
    this.queryCode = options.queryCode
  }
}
