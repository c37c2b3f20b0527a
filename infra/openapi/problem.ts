// Refusals: their body, and the meaning of each status.
import * as z from 'zod'
import { CODES } from '../../shared/base/catalog/codes.ts'

const Violation = z.object({
  loc: z.array(z.union([z.string(), z.int()])).describe('Path segments; the first is `body`, `header` or `query`.'),
  msg: z.string().describe('The rule that is broken.'),
  type: z
    .enum(['value_error', 'type_error', 'extra_forbidden', 'missing', 'idempotency_mismatch'])
    .describe('What kind of rule is broken.'),
})

/** The body of every refusal (`functions/README.md`, "Errors"). */
export const Problem = z.object({
  detail: z
    .union([z.string(), z.array(Violation)])
    .describe('The cause and the remedy as text. For a 422, every violated rule in document order.'),
  // An object literal keeps the order of its keys, and has at least one.
  code: z
    .enum(Object.keys(CODES) as [keyof typeof CODES, ...(keyof typeof CODES)[]])
    .describe('The cause of the error, for programs. Treat an unknown code by its HTTP status.'),
  errors: z.array(Violation).optional().describe('Only for a 400: every missing field.'),
  retry_at: z.iso
    .datetime()
    .optional()
    .describe('Only for a 429 of a sign-in that is blocked: the time from which it is allowed again.'),
  approval_url: z
    .url()
    .optional()
    .describe('Only for a 403 of a vote that takes a person: the page where people decide.'),
  trace_id: z.string().optional().describe('Only for server errors: the id to report to support.'),
  request_id: z.string().describe('Id of the request, also in `X-Request-Id`.'),
})
type Problem = z.input<typeof Problem>

/** The body for who asks for it (RFC 9457). */
export const ProblemDetails = Problem.extend({
  type: z.url().describe('The place of the code on the page of errors.'),
  title: z.string().describe('The code in words.'),
  status: z.int().describe('The status of the answer.'),
  detail: z.string().describe('The cause and the remedy as text.'),
  errors: z.array(Violation).optional().describe('Every violated rule, or every missing field.'),
})

/** `retries`: the answer has `Retry-After`. */
type Refusal = { name: string; description: string; example: Problem; retries?: true }

const OURS = { request_id: 'req_01JD3Q8Z5N0A2C4E6G8J0M2P4R' }
const TRACE_ID = '5759e988bd862e3fe1be46a994272793'

const MISSING: Problem['errors'] = [{ loc: ['body', 'node_id'], msg: 'field required', type: 'missing' }]
const INVALID: Problem['detail'] = [
  { loc: ['body', 'manifest', 'node', 'id'], msg: 'must match namespace.category.name', type: 'value_error' },
]

/** By status. */
export const REFUSALS: Record<number, Refusal> = {
  400: {
    name: 'Malformed',
    description: 'The body is not a JSON object, a required field is missing, or a parameter or header is malformed.',
    example: {
      detail: 'You left out required fields: node_id. Send them.',
      code: 'missing_field',
      errors: MISSING,
      ...OURS,
    },
  },
  401: {
    name: 'Unauthenticated',
    description:
      'The request has no credential, two of them, or one that is unknown, expired or revoked. The gateway renames `WWW-Authenticate` to `x-amzn-Remapped-WWW-Authenticate`, so go by the `code`.',
    example: {
      detail: 'Your credentials are invalid or expired. Sign in again or use another key.',
      code: 'unauthenticated',
      ...OURS,
    },
  },
  403: {
    name: 'Forbidden',
    description: 'The credential is valid, but lacks the permission.',
    example: {
      detail: 'You need the permission approvals:decide (scope governance:write).',
      code: 'forbidden',
      ...OURS,
    },
  },
  404: {
    name: 'NotFound',
    description: 'The resource does not exist, or belongs to another tenant or mode. The answer is the same.',
    example: { detail: 'approval not found', code: 'not_found', ...OURS },
  },
  409: {
    name: 'Conflict',
    description:
      'The resource exists already, was changed by another request, or has a state that does not allow this.',
    example: { detail: 'You cannot change the status from rejected to approved.', code: 'conflict', ...OURS },
  },
  413: {
    name: 'TooLarge',
    description: 'The body is larger than this operation accepts.',
    example: { detail: 'The request body exceeds 262144 bytes. Send a smaller one.', code: 'too_large', ...OURS },
  },
  422: {
    name: 'Invalid',
    description: 'The body is well-formed but breaks rules, or a query parameter is unknown; all of it is listed.',
    example: { detail: INVALID, code: 'invalid', ...OURS },
  },
  429: {
    name: 'RateLimited',
    description:
      'A limit is reached; `Retry-After` and `detail` say for how long, and after failed sign-ins also `retry_at`.',
    example: { detail: 'You exceeded the rate limit. Retry in 23 seconds.', code: 'rate_limited', ...OURS },
    retries: true,
  },
  500: {
    name: 'Internal',
    description: 'The service has an internal error.',
    example: {
      detail: 'The service failed. Try again, and report the trace_id if it fails again.',
      code: 'internal',
      trace_id: TRACE_ID,
      ...OURS,
    },
  },
  503: {
    name: 'Unavailable',
    description: 'A dependency did not answer in time. Nothing was changed, or the answer says so.',
    example: {
      detail: 'A dependency did not answer in time. Repeat the request.',
      code: 'unavailable',
      trace_id: TRACE_ID,
      ...OURS,
    },
    retries: true,
  },
}
