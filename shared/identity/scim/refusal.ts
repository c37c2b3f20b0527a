// Errors of SCIM with their `scimType` (RFC 7644, section 3.12, table 9), and the body in which SCIM sends all errors.
import { Failure } from '../../base/lib/failure.ts'
import { HttpResponse } from '../../base/wire/call.ts'

const SCIM_TYPES = [
  'invalidFilter',
  'tooMany',
  'uniqueness',
  'mutability',
  'invalidSyntax',
  'invalidPath',
  'noTarget',
  'invalidValue',
  'invalidVers',
  'sensitive',
] as const
export type ScimType = (typeof SCIM_TYPES)[number]

/** A 400 with its `scimType`. The detail never repeats a value that was sent. */
export const badRequest = (scimType: Exclude<ScimType, 'uniqueness'>, detail: string): Failure =>
  new Failure('malformed', detail, { code: scimType })

/** A 409: another resource of the space has the value already. */
export const uniquenessConflict = (attribute: string): Failure =>
  new Failure('conflict', `Another resource has this ${attribute} already. Use another value.`, { code: 'uniqueness' })

export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'
export const SCIM_MEDIA_TYPE = 'application/scim+json; charset=utf-8'

/** The error body, for all errors including 401, 429 and 5xx. SCIM has no 422, so it becomes 400. */
export function scimError(failure: Failure): { status: number; body: object } {
  const status = failure.status === 422 ? 400 : failure.status
  const scimType = scimTypeOf(failure, status)
  // When `detail` is a list of violations, `message` is the same as text.
  const detail = typeof failure.detail === 'string' ? failure.detail : failure.message
  return {
    status,
    body: { schemas: [ERROR_SCHEMA], status: String(status), ...(scimType && { scimType }), detail },
  }
}

function scimTypeOf({ options, kind }: Failure, status: number): string | undefined {
  const named = SCIM_TYPES.find((type) => type === options.code)
  if (named || status !== 400) return named
  return kind === 'invalid' ? 'invalidValue' : 'invalidSyntax'
}

/** `headers`: the headers of the failure. */
export function scimRefusal(failure: Failure, headers: Record<string, string>): HttpResponse {
  const { status, body } = scimError(failure)
  return new HttpResponse(status, body, { headers: { ...headers, 'Content-Type': SCIM_MEDIA_TYPE } })
}
