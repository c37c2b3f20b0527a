// Serves the pool's public keys at the issuer's address. It uses the port of the last start again, so that tokens stay valid
// after a restart. If the port is taken, sessions need a refresh first.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Disk } from '../disk.ts'
import { keySetOf, type Pool } from './pool.ts'

/** `url`: the `iss` of tokens. */
export type Issuer = { url: string; close: () => Promise<void> }

const FILE = 'cognito-issuer.json'

export async function openIssuer(disk: Disk, pool: Pool): Promise<Issuer> {
  const server = createServer()
  const port = await bind(server, portOf(disk))
  disk.writeSecretFile(FILE, { port })
  const body = JSON.stringify(keySetOf(pool))
  server.on('request', (request, response) => {
    const found = request.method === 'GET' && request.url === `/${pool.id}/.well-known/jwks.json`
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(found ? body : '{}')
  })
  return {
    url: `http://127.0.0.1:${port}/${pool.id}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const portOf = (disk: Disk): number => (disk.readSecretFile(FILE) as { port: number } | undefined)?.port ?? 0

async function bind(server: Server, wanted: number): Promise<number> {
  try {
    await listen(server, wanted)
  } catch (error) {
    if (wanted === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    await listen(server, 0)
  }
  return (server.address() as AddressInfo).port // a TCP server always has one
}

const listen = (server: Server, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
