import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { hex, payloadCommitment } from '../../../shared/ledger/evidence/artifact/hashes.ts'
import { canonicalJson } from '../../../shared/base/lib/json.ts'
import { manifest } from '../../support/any-route.ts'
import { accepted, refused } from '../../support/awkward-json.ts'
import { mustBeRefusal } from '../../support/error-body.ts'
import { send } from '../../support/http.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await local.tenant()
  await acme.call(protocol.registerManifest, { body: { manifest: manifest() } })
})

const executing = (payload: string) =>
  `{"node_id":"crm.contacts.editor","action_id":"delete_contact","payload":${payload}}`

describe('awkward payloads', () => {
  test.each(accepted.filter(({ name }) => !name.includes('50,000')))(
    '$name stands in the evidence and before the approver byte for byte',
    async ({ json, canonical }) => {
      const held = await acme.call(protocol.execute, { body: executing(json) })
      expect(held.status, JSON.stringify(held.body)).toBe(202)
      const { approval, receipt, result } = held.body

      const [shown, artifact] = await Promise.all([
        acme.call(approvals.get, { params: { id: approval.id } }),
        acme.call(evidence.get, { params: { id: receipt.evidence_artifact_id } }),
      ])
      const { payload, payload_salt } = shown.body
      expect([payload, result.payload_echo].map(canonicalJson)).toEqual([canonical, canonical])
      const commitment = hex(payloadCommitment(Buffer.from(payload_salt, 'hex'), payload))
      expect(JSON.stringify(artifact.body)).toContain(commitment)
    },
  )

  test.each(refused)('$name is refused with 422', async ({ json, loc }) => {
    const reply = await acme.call(protocol.execute, { body: executing(json) })

    expect(reply.status).toBe(422)
    const at = json.includes('{"n":') ? ['body'] : ['body', 'payload', ...loc.slice(1)]
    expect(reply.body.detail[0].loc).toEqual(at)
    mustBeRefusal(reply)
  })
})

describe('the size of a body:', () => {
  const padded = (bytes: number) => `{"events":[${' '.repeat(bytes - 13)}]}`

  test('the default limit is 262,144 bytes, and a byte more is a 413', async () => {
    const post = (bytes: number) =>
      send(`${local.apiUrl}/api/webhooks`, {
        method: 'POST',
        headers: { 'x-api-key': acme.live_key },
        body: padded(bytes),
      })

    expect((await post(262_144)).status).toBe(400) // fields are missing
    const reply = await post(262_145)
    expect(reply.status).toBe(413)
    expect(JSON.parse(reply.text)).toMatchObject({
      detail: 'The request body exceeds 262144 bytes. Send a smaller one.',
      code: 'too_large',
    })
  })

  test('it is counted in bytes after the gateway, whatever they are', async () => {
    const bytes = Buffer.alloc(262_145, 0xff)
    const { status } = await send(`${local.apiUrl}/api/webhooks`, { method: 'POST', body: bytes })

    expect(status).toBe(413)
  })

  test('a route may allow more, and says how much', async () => {
    const post = (bytes: number) => acme.call(protocol.validateManifest, { body: padded(bytes) })

    expect((await post(1_048_576)).status).toBe(400)
    expect(await post(1_048_577)).toMatchObject({
      status: 413,
      body: { detail: 'The request body exceeds 1048576 bytes. Send a smaller one.' },
    })
  })

  test('what not even the gateway takes is a 413 in the same form', async () => {
    const reply = await acme.call(protocol.validateManifest, { body: ' '.repeat(10_485_761) })

    expect(reply).toMatchObject({
      status: 413,
      body: { detail: 'The request body exceeds 10485760 bytes. Send a smaller one.', code: 'too_large' },
    })
  })
})

describe('type and encoding', () => {
  const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
    send(`${local.apiUrl}/api/webhooks`, { method: 'POST', headers: { 'x-api-key': acme.live_key, ...headers }, body })
  /** Read as JSON, and refused for what it lacks. */
  const wasRead = expect.objectContaining({ status: 400, text: expect.stringContaining('missing_field') })
  const refusal = (detail: string) => ({ status: 400, text: expect.stringContaining(detail) })

  test.each(['application/json', 'application/json; charset=UTF-8', 'application/vnd.x+json'])(
    '%s is read',
    async (type) => {
      expect(await post('{}', { 'content-type': type })).toEqual(wasRead)
    },
  )

  test('a missing type is read as JSON, an empty body as an empty object', async () => {
    expect(await post('{}')).toEqual(wasRead)
    expect(await post('')).toEqual(wasRead)
  })

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])(
    '%s is a 400',
    async (type) => {
      expect(await post('{}', { 'content-type': type })).toMatchObject(
        refusal('The Content-Type is not supported. Send application/json in UTF-8.'),
      )
    },
  )

  test('compressed bytes are a 400', async () => {
    expect(await post(gzipSync('{}'), { 'content-encoding': 'gzip' })).toMatchObject(
      refusal('The Content-Encoding is not supported. Send the body uncompressed.'),
    )
  })

  test('a byte order mark is skipped, invalid UTF-8 is a 400', async () => {
    expect(await post(Buffer.from('\ufeff{}'))).toEqual(wasRead)
    expect(await post(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x7d]))).toMatchObject(refusal('not valid UTF-8'))
  })
})
