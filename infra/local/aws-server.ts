// One loopback server for all stand-ins. Services with AWS JSON are distinguished by their target header; requests without
// it are for S3. It listens on loopback only, because requests are not authenticated.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { AwsError } from './aws-error.ts'
import type { S3 } from './s3.ts'

/** Operations by target (`TrentService.Sign`). Inputs have the documented shape, because only the SDK calls them. */
export type Actions = Record<string, (input: never) => object | Promise<object>>

/** A request as the services see it, whether it came over the network or not. Names of headers are in lower case. */
export type AwsRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>
export type Answer = ReturnType<S3>
type Answerer = (request: AwsRequest, body: Uint8Array) => Promise<Answer>

export type AwsServer = {
  url: string
  serve: (actions: Actions, rest: S3) => void
  /** What a request over the network would be answered. */
  answer: Answerer
  close: () => Promise<void>
}

/** Binds before the stand-ins exist, since queue URLs carry the port; `serve` attaches them. */
export async function listen(): Promise<AwsServer> {
  const first = Promise.withResolvers<Answerer>()
  let attached = first.promise
  const answer: Answerer = async (request, body) => (await attached)(request, body)
  const server = createServer((request, response) => void respond(request, response, answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server always has one
  return {
    url: `http://127.0.0.1:${port}`,
    serve: (actions, rest) => {
      attached = Promise.resolve(answererOf(actions, rest))
      first.resolve(attached)
    },
    answer,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function respond(request: IncomingMessage, response: ServerResponse, answer: Answerer): Promise<void> {
  const { status, headers, body } = await answer(request, await buffer(request))
  response.writeHead(status, headers).end(body)
}

function answererOf(actions: Actions, rest: S3): Answerer {
  return async (request, body) => {
    const target = request.headers['x-amz-target']
    if (typeof target !== 'string') return rest(request, body)
    try {
      const action = actions[target]
      if (!action) throw new AwsError('UnknownOperationException', `${target} is not part of the local stand-in`)
      const result = await action(JSON.parse(Buffer.from(body).toString()) as never) // shape: see Actions
      return json(request, 200, result)
    } catch (error) {
      const known = error instanceof AwsError ? error : new AwsError('InternalFailure', String(error), { status: 500 })
      const { name, message, status, queryCode } = known
      const answer = json(request, status, { __type: name, message })
      if (queryCode) answer.headers['x-amzn-query-error'] = `${queryCode};Sender`
      return answer
    }
  }
}

const json = ({ headers }: AwsRequest, status: number, value: object): Answer => ({
  status,
  headers: { 'content-type': headers['content-type'] ?? 'application/x-amz-json-1.1' },
  body: JSON.stringify(value),
})
