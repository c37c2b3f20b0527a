// The headers of answers.
import type { JsonSchema } from './json-schema.ts'

/** A reference to the description of a header. */
export const header = (name: string) => ({ $ref: `#/components/headers/${name}` })
/** Headers of every answer of a function. */
export const ALWAYS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-RateLimit-Category',
]

/** `retries`: the refusal has `Retry-After`. */
export const headersOfRefusal = (retries = false): JsonSchema =>
  Object.fromEntries([...ALWAYS, ...(retries ? ['Retry-After'] : [])].map((name) => [name, header(name)]))

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
const whole = (description: string, example: number) => ({ description, schema: { type: 'integer' }, example })

/** `components.headers`. */
export const HEADERS: Record<string, JsonSchema> = {
  'X-Request-Id': text('The id of this request, for support.', 'req_01JD3Q8Z5N0A2C4E6G8J0M2P4R'),
  'X-RateLimit-Limit': whole('Requests that the window allows. On a 429 it is the exhausted window.', 2_000),
  'X-RateLimit-Remaining': whole('Requests that are left in the window.', 1_987),
  'X-RateLimit-Reset': whole('Unix second at which the window ends.', 1_795_300_680),
  'X-RateLimit-Category': {
    description: 'The rate category of the route.',
    schema: { type: 'string', enum: ['auth', 'ai', 'global'] },
  },
  'Retry-After': whole('Seconds to wait before the next try.', 23),
  'WWW-Authenticate': text(
    'Where to get a token (RFC 6750, RFC 9728).',
    'Bearer resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp/ten_01JD3Q8Z5N0A2C4E6G8J0M2P4R", scope="agent:execute governance:read offline_access"',
  ),
  Location: text('Path of the new resource.', '/api/v1/work/approvals/apr_01JD3Q8Z5N3F5H7K9N1Q3S5V7X'),
  ETag: text('Strong tag of the version.', '"v3"'),
  'Idempotent-Replayed': {
    description: 'This is the first answer to this `Idempotency-Key` again; nothing was changed.',
    schema: { const: 'true' },
  },
}
