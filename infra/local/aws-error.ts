// The error that a stand-in answers with: AWS's name and status, so that the SDK throws the class it would throw in AWS.

export class AwsError extends Error {
  readonly status: number
  /** SQS only: the name its older protocol used, which the SDK still reads. */
  readonly queryCode: string | undefined

  constructor(name: string, message: string, options: { status?: number; queryCode?: string } = {}) {
    super(message)
    this.name = name
    this.status = options.status ?? 400
    this.queryCode = options.queryCode
  }
}
