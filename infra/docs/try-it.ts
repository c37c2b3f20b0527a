// What the form needs that sends a request from the page. The script of the page reads it.
import { DOCUMENT_HOSTS } from '../../shared/base/wire/site.ts'
import type { Parameter } from './openapi-types.ts'
import type { Placed } from './operation-html.ts'

export type Call = {
  host: string
  method: string
  path: string
  /** Takes no credential. */
  open: boolean
  parameters: { name: string; in: string; required: boolean; example: string }[]
  /** With its media type. */
  body?: string
  type?: string
}

/** Undefined for what providers and browsers call, which have no samples either, and for streams, which never end. */
export function callOf({ method, path, operation }: Placed, parameters: readonly Parameter[]): Call | undefined {
  const { servers, security, requestBody, responses, 'x-codeSamples': samples = [] } = operation
  const streams = Object.values(responses).some(({ content }) => content?.['text/event-stream'])
  if (samples.length === 0 || streams) return undefined
  const [body] = Object.entries(requestBody?.content ?? {})
  return {
    host: servers?.[0]?.url ?? DOCUMENT_HOSTS.api,
    method,
    path,
    open: security.length === 0,
    parameters: parameters.map((one) => ({
      name: one.name,
      in: one.in,
      required: one.required ?? false,
      example: textOf(one.example ?? one.schema.examples?.[0] ?? one.schema.default ?? ''),
    })),
    ...(body && { type: body[0], body: bodyText(body[0], body[1].example) }),
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function bodyText(type: string, example: unknown = {}): string {
  if (type === 'application/json') return JSON.stringify(example, undefined, 2)
  return new URLSearchParams(example as Record<string, string>).toString()
}
