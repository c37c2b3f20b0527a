// Answers that go on after their first bytes, through Lambda's response streaming. Refusals stay ordinary JSON answers:
// status and headers are known before anything is written.
import { alarm } from '../base/lib/log.ts'
import type { Sink } from '../base/wire/call.ts'
import type { Handler } from './endpoint.ts'
import type { RestResponse, RestEvent } from '../base/wire/rest-event.ts'

/** What Lambda gives a streaming function to write to. */
export type ResponseStream = Sink & { end: () => unknown }

export type StreamHandler = (event: RestEvent, response: ResponseStream, context: object) => Promise<void>

type Metadata = Pick<RestResponse, 'statusCode' | 'headers'>

/** What the runtime of Lambda provides in the global `awslambda`. */
export type Streaming = {
  streamifyResponse: (run: StreamHandler) => StreamHandler
  HttpResponseStream: { from: (response: ResponseStream, metadata: Metadata) => ResponseStream }
}

/** Elsewhere, where handlers are only described, the SDK may have put something else there. */
const streaming = () => (globalThis as { awslambda?: Partial<Streaming> }).awslambda

/** Streams what the handler answers: its body first, then what follows. */
export function streamed(handler: Handler): StreamHandler {
  const run: StreamHandler = async (event, response, context) => {
    const { statusCode, headers, body, follow } = await handler(event, context)
    const stream = streaming()?.HttpResponseStream?.from(response, { statusCode, headers }) ?? response
    stream.write(body)
    try {
      await follow?.(stream)
    } catch (error) {
      alarm('stream_failed', error) // its status is sent already: the reader sees an end and connects again
    }
    if (!stream.destroyed) stream.end()
  }
  return streaming()?.streamifyResponse?.(run) ?? run
}
