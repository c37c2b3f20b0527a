// Streamed answers, through Lambda's response streaming. Refusals are ordinary JSON answers, because status and headers are
// decided before anything is written.
import { alarm } from '../base/lib/log.ts'
import { inTrace } from '../base/lib/trace.ts'
import type { Sink } from '../base/wire/call.ts'
import type { Handler } from './endpoint.ts'
import { readTrace, type RestResponse, type RestEvent } from '../base/wire/rest-event.ts'

/** The response stream that Lambda passes to a function. */
export type ResponseStream = Sink & { end: () => unknown }

export type StreamHandler = (event: RestEvent, response: ResponseStream, context: object) => Promise<void>

type Metadata = Pick<RestResponse, 'statusCode' | 'headers'>

/** The part of Lambda's global `awslambda` that the service uses. */
export type Streaming = {
  streamifyResponse: (run: StreamHandler) => StreamHandler
  HttpResponseStream: { from: (response: ResponseStream, metadata: Metadata) => ResponseStream }
}

/** Outside Lambda the global may be something else, so it is checked. */
const streaming = () => (globalThis as { awslambda?: Partial<Streaming> }).awslambda

/** Streams the answer of a handler: first its body, then the rest by `follow`. */
export function streamed(handler: Handler): StreamHandler {
  const answer: StreamHandler = async (event, response, context) => {
    const { statusCode, headers, body, follow } = await handler(event, context)
    const stream = streaming()?.HttpResponseStream?.from(response, { statusCode, headers }) ?? response
    stream.write(body)
    try {
      await follow?.(stream)
    } catch (error) {
      alarm('stream_failed', error) // the status is already sent: the stream ends and the reader reconnects
    }
    if (!stream.destroyed) stream.end()
  }
  const run: StreamHandler = (event, response, context) =>
    inTrace(readTrace(event), () => answer(event, response, context))
  return streaming()?.streamifyResponse?.(run) ?? run
}
