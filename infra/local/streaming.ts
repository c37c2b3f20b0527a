// Stand-in for Lambda's response streaming: the functions write to the HTTP response itself.
import type { ServerResponse } from 'node:http'
import type { ResponseStream, Streaming, StreamHandler } from '../../shared/http/streamed.ts'
import type { Clock } from './clock.ts'
import { writeHead } from './gateway-answer.ts'
import { contextOf, copy, type FunctionRow, load, TIMEOUT_SECONDS } from './lambda.ts'

/** Resolves when the function has ended; throws what it throws. No time-out: streams end by themselves, before theirs. */
export type InvokeStream = (row: FunctionRow, event: unknown, response: ServerResponse) => Promise<void>

const streaming: Streaming = {
  streamifyResponse: (run) => run,
  HttpResponseStream: {
    from: (response, metadata) => {
      const http = response as unknown as ServerResponse // what `streamHost` gave to the function
      writeHead(http, metadata)
      http.flushHeaders()
      return response
    },
  },
}

export function streamHost(clock: Clock): InvokeStream {
  const runtime = globalThis as { awslambda?: object } // the SDK keeps something of its own there
  runtime.awslambda = { ...runtime.awslambda, ...streaming }
  return async (row, event, response) => {
    response.on('error', () => {}) // the reader went away; the function sees that the stream is destroyed
    const handler = (await load(row)) as unknown as StreamHandler // rows that stream export this kind
    const deadline = clock.now() + (row.timeoutSeconds ?? TIMEOUT_SECONDS) * 1_000
    await handler(
      copy(event) as Parameters<StreamHandler>[0],
      response as ResponseStream,
      contextOf(row, deadline, clock),
    )
  }
}
