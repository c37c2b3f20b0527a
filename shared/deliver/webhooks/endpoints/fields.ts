// The bodies of requests that create or change an endpoint.
import * as z from 'zod'
import { EVENT_TYPE_ALIASES, EVENT_TYPES, isEventType } from '../../../base/catalog/event-types.ts'
import { displayName, optional, plainText } from '../../../base/wire/fields.ts'
import { WebhookSecret } from '../../../base/signing/signature.ts'
import { invalid } from '../../../base/lib/failure.ts'
import { refusalOfTarget } from '../../../base/lib/safe-http.ts'

const HEADERS_MAX = 10
const METADATA_MAX = 20
const FILTER_MAX = 10

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Headers that the HTTP client, the signature schemes or AWS set. */
const OWN_HEADER =
  /^(host|connection|transfer-encoding|content-.*|user-agent|accept-encoding|cookie|proxy-.*|x-amz.*|x-webhook-.*|x-service-.*|webhook-.*)$/i
const HEADER_VALUE = /^[\x20-\x7e]{1,1024}$/

/** An event type of the catalogue in either of its spellings, or `*`. */
export const EventSelector = z
  .string()
  .meta({ enum: ['*', ...EVENT_TYPES, ...Object.keys(EVENT_TYPE_ALIASES)] })
  .transform((text) => EVENT_TYPE_ALIASES[text] ?? text)
  .refine((text) => text === '*' || isEventType(text), 'must be an event type or *')

const Headers = z
  .record(z.string(), z.string().regex(HEADER_VALUE, 'must be 1 to 1024 visible ASCII characters'))
  .superRefine((headers, issues) => {
    const names = Object.keys(headers)
    if (names.length > HEADERS_MAX) issues.addIssue(`must hold at most ${HEADERS_MAX} headers`)
    for (const name of names) {
      if (!TOKEN.test(name)) issues.addIssue({ code: 'custom', path: [name], message: 'is no header name' })
      else if (OWN_HEADER.test(name))
        issues.addIssue({ code: 'custom', path: [name], message: 'is set by the service' })
    }
  })
  .meta({ maxProperties: HEADERS_MAX, propertyNames: { pattern: TOKEN.source } })

const atMost = (entries: number) => (value: object) => Object.keys(value).length <= entries

const Name = displayName(100)
const Url = z.string().max(2_048)
const Events = z
  .array(EventSelector)
  .min(1)
  .max(50)
  .transform((types) => [...new Set(types)])

const extras = {
  status: optional(z.enum(['active', 'disabled'])).describe('The current state.'),
  description: optional(plainText(1_000)).describe('A description for people.'),
  metadata: optional(
    z
      .record(z.string().min(1).max(128), plainText(512, 0))
      .refine(atMost(METADATA_MAX), `must hold at most ${METADATA_MAX} pairs`)
      .meta({ maxProperties: METADATA_MAX }),
  ).describe('Values that you choose.'),
  headers: optional(Headers).describe('Header fields to send.'),
  filter: optional(
    z
      .record(z.string().min(1).max(64), z.union([z.string().max(512), z.number(), z.boolean(), z.null()]))
      .refine(atMost(FILTER_MAX), `must hold at most ${FILTER_MAX} members`)
      .meta({ maxProperties: FILTER_MAX }),
  ).describe('Only events with these values are delivered.'),
}

export const EndpointInput = z.strictObject({
  name: Name.describe('A name for people.'),
  url: Url.describe('Address to which events are posted.'),
  events: Events.describe('The types of events to deliver. `action.*` matches all types of an area, `*` all types.'),
  ...extras,
  secret: optional(WebhookSecret).describe('The secret that signs deliveries. It is shown only once.'),
})
export type EndpointInput = z.output<typeof EndpointInput>

/** `version`: the version of the endpoint that the change was made for. */
export const EndpointChange = z.strictObject({
  name: optional(Name).describe('A name for people.'),
  url: optional(Url).describe('Address to which events are posted.'),
  events: optional(Events).describe(
    'The types of events to deliver. `action.*` matches all types of an area, `*` all types.',
  ),
  ...extras,
  version: optional(z.int()).describe('The version that you want to change. Any other version is answered 409.'),
})
export type EndpointChange = Partial<z.output<typeof EndpointChange>>

/** Throws 422 for a URL that must not be called. The present addresses of its host are checked, too. */
export async function mustBeCallable(url: string): Promise<void> {
  const refusal = await refusalOfTarget(url)
  if (refusal !== undefined) throw invalid(['url'], refusal)
}
