// One loopback server for all stand-ins. Services with AWS JSON are distinguished by their target header; requests without
// it are for S3. It listens on loopback only, because requests are not authenticated.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { AwsError } from './aws-error.ts'
import type { S3 } from './s3.ts'

/** Operations by target (`TrentService.Sign`). Inputs have the documented shape, because only the SDK calls them. */
export type Actions = Record<string, (input: never) => object | Promise<object>>

export type AwsServer = { url: string; close: () => Promise<void> }

/** Binds before the stand-ins exist, since queue URLs carry the port; `serve` attaches them. */
export async function listen(): Promise<AwsServer & { serve: (actions: Actions, s3: S3) => void }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a TCP server always has one
  return {
    url: `http://127.0.0.1:${port}`,
    serve: (actions, s3) => {
      server.removeAllListeners('request')
      server.on('request', (request, response) => void answer(request, response, actions, s3))
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, actions: Actions, s3: S3): Promise<void> {
  const body = await buffer(request)
  const target = request.headers['x-amz-target']
  if (typeof target !== 'string') {
    const { status, headers, body: content } = s3(request, body)
    response.writeHead(status, headers).end(content)
    return
  }
  try {
    const action = actions[target]
    if (!action) throw new AwsError('UnknownOperationException', `${target} is not part of the local stand-in`)
    const result = await action(JSON.parse(body.toString()) as never) // shape: see Actions
    sendJson(request, response, 200, result)
  } catch (error) {
    const known = error instanceof AwsError ? error : new AwsError('InternalFailure', String(error), { status: 500 })
    if (known.queryCode) response.setHeader('x-amzn-query-error', `${known.queryCode};Sender`)
    sendJson(request, response, known.status, { __type: known.name, message: known.message })
  }
}

function sendJson(request: IncomingMessage, response: ServerResponse, status: number, value: object): void {
  const type = request.headers['content-type'] ?? 'application/x-amz-json-1.1'
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(value))
}
