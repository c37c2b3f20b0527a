// Errors of SCIM with their `scimType` (RFC 7644, section 3.12, table 9).
import { Failure } from '../../base/lib/failure.ts'

export const SCIM_TYPES = [
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
