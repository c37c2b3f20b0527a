// Against the interface of Lambda's runtime: `awslambda.streamifyResponse` and `HttpResponseStream.from`.
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Follow } from '../../../shared/base/wire/call.ts'
import type { RestEvent } from '../../../shared/base/wire/rest-event.ts'
import { streamed } from '../../../shared/edge/streamed.ts'

const event: RestEvent = { httpMethod: 'GET', path: '/', resource: '/', requestContext: {} }

class Response {
  parts: string[] = []
  destroyed = false
  readonly writableNeedDrain = false
  write(text: string) {
    this.parts.push(text)
  }
  destroy() {
    this.destroyed = true
  }
  end() {
    this.parts.push('END')
  }
}

const runtime = globalThis as { awslambda?: object | undefined }
let response: Response
beforeEach(() => {
  process.env.LOG_LEVEL = 'off'
  response = new Response()
  runtime.awslambda = {
    streamifyResponse: <T>(run: T) => run,
    HttpResponseStream: {
      from: (to: Response, metadata: object) => {
        to.parts.push(JSON.stringify(metadata))
        return to
      },
    },
  }
})
afterEach(() => {
  delete runtime.awslambda
})

const head = { statusCode: 200, headers: { A: 'b' } }
const run = (follow?: Follow) => streamed(async () => ({ ...head, body: 'body', ...(follow && { follow }) }))

test('status and headers come first, then the body and what follows it', async () => {
  await run(async (sink) => void sink.write('more'))(event, response, {})

  expect(response.parts).toEqual([JSON.stringify(head), 'body', 'more', 'END'])
})

test('an answer that nothing follows ends with its body', async () => {
  await run()(event, response, {})

  expect(response.parts).toEqual([JSON.stringify(head), 'body', 'END'])
})

test('what fails after the first byte ends the answer', async () => {
  await run(() => Promise.reject(new Error('x')))(event, response, {})

  expect(response.parts.at(-1)).toBe('END')
})

test('a reader that was cut off is not written to again', async () => {
  await run(async (sink) => void sink.destroy())(event, response, {})

  expect(response.parts).toEqual([JSON.stringify(head), 'body'])
})

test.each([undefined, {}, { InvokeStore: {} }])(
  'the handler can be loaded outside Lambda, with %o there',
  (present) => {
    runtime.awslambda = present

    expect(run()).toBeTypeOf('function')
  },
)
