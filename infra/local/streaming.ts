// Stand-in for Lambda's response streaming: functions write directly to the HTTP response.
import type { ServerResponse } from 'node:http'
import type { Clock } from './clock.ts'
import { type Head, writeHead } from './gateway-answer.ts'
import { contextOf, copy, type FunctionRow, load, TIMEOUT_SECONDS } from './lambda.ts'

/** Resolves at the end of the function; rejects with its error. It has no time-out, because streams end by themselves. */
export type InvokeStream = (row: FunctionRow, event: unknown, response: ServerResponse) => Promise<void>

type StreamHandler = (event: unknown, response: ServerResponse, context: object) => Promise<void>

/** The part of the global `awslambda` that streaming functions use. */
const streaming = {
  streamifyResponse: (run: StreamHandler) => run,
  HttpResponseStream: {
    from: (response: ServerResponse, metadata: Head) => {
      writeHead(response, metadata)
      response.flushHeaders()
      return response
    },
  },
}

export function streamHost(clock: Clock): InvokeStream {
  const runtime = globalThis as { awslambda?: object } // the SDK stores members there, too
  runtime.awslambda = { ...runtime.awslambda, ...streaming }
  return async (row, event, response) => {
    response.on('error', () => {}) // the reader has left; the function sees the destroyed stream
    const handler = await load<StreamHandler>(row)
    const deadline = clock.now() + (row.timeoutSeconds ?? TIMEOUT_SECONDS) * 1_000
    await handler(copy(event), response, contextOf(row, deadline, clock))
  }
}
