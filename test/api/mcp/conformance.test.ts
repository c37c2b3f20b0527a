// The protocol's own conformance suite, behind a proxy on loopback that adds the key, which the suite cannot send.
import { execFile } from 'node:child_process'
import { createServer, request } from 'node:http'
import { type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const SUITE = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)
const run = promisify(execFile)

const SCHEMA_NODE = {
  protocol_version: '1.0',
  node: {
    id: 'test.tools.json',
    name: 'JSON',
    version: '1.0.0',
    endpoints: [
      {
        action_id: 'schema_2020_12_tool',
        input_schema: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          type: 'object',
          $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
          properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
          additionalProperties: false,
        },
      },
    ],
  },
}

const local = useLocalStack()
let it: Governed
const proxy = createServer((incoming, outgoing) => {
  const { host: _host, ...rest } = incoming.headers
  const foreign = /^(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(incoming.headers.host ?? '')
    ? {}
    : { host: incoming.headers.host }
  const headers = { ...rest, ...foreign, authorization: `Bearer ${it.live_key}` }
  const url = new URL(`${local.apiUrl}/mcp/${it.tenant_id}`)
  const onward = request(url, { method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  incoming.pipe(onward)
})

beforeAll(async () => {
  it = await governed(local)
  // Its tool gets the name that the suite looks for.
  await it.call(protocol.registerManifest, { body: { manifest: SCHEMA_NODE } })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void proxy.close())

/** Everything else in the suite is about features that we do not declare: resources, prompts, sampling, streams. */
test.each(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection', 'json-schema-2020-12'])(
  'the scenario %s passes',
  async (scenario) => {
    const { port } = proxy.address() as AddressInfo
    const args = [SUITE, 'server', '--url', `http://127.0.0.1:${port}/`, '--scenario', scenario]

    const { stdout } = await run(process.execPath, args, { timeout: 60_000 }).catch(
      (error: unknown) => error as { stdout: string },
    )

    expect(stdout).toMatch(/[1-9]\d* passed, 0 failed|Passed: [1-9]\d*\/[1-9]\d*, 0 failed/)
  },
)
