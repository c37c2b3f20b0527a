// Every error as SCIM wants it (RFC 7644, section 3.12), 401, 429 and 5xx included. 422 is unknown there: it becomes a 400.
import { HttpResponse } from '../../base/wire/call.ts'
import type { Failure } from '../../base/lib/failure.ts'
import { SCIM_TYPES } from './refusal.ts'

export const ERROR_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:Error'
export const SCIM_MEDIA_TYPE = 'application/scim+json; charset=utf-8'

export function scimError(failure: Failure): { status: number; body: object } {
  const status = failure.status === 422 ? 400 : failure.status
  const scimType = scimTypeOf(failure, status)
  // The message of a failure lists its violations in words, where its detail is a list.
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

/** `headers`: those that the failure brings along. */
export function scimRefusal(failure: Failure, headers: Record<string, string>): HttpResponse {
  const { status, body } = scimError(failure)
  return new HttpResponse(status, body, { headers: { ...headers, 'Content-Type': SCIM_MEDIA_TYPE } })
}
