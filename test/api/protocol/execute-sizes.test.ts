// An item of the table holds 400 KB. Whatever a caller or a target sends, what has to be stored fits, or is refused before
// anything has happened.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { sha256Hex } from '../../../shared/base/lib/json.ts'
import { bodyOf, type Governed, governed, manifestOf, NODE_ID } from '../../support/governed.ts'
import { json, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
  const to = { type: 'http', url: target.url }
  acme = await governed(local, [
    { action_id: 'get_contact', target: to },
    { action_id: 'update_deal', target: to, undo_action_id: 'restore_deal' },
    { action_id: 'restore_deal', target: to },
  ])
})
afterAll(() => target.stop())

const EXPONENTS = `[${'1e15,'.repeat(50_000)}0]`

test('413: numbers count as they are stored, not as they are spelled', async () => {
  const headers = { 'x-api-key': acme.live_key, 'content-type': 'application/json' }
  const body = `{"node_id":"${NODE_ID}","action_id":"get_contact","payload":{"n":${EXPONENTS}}}`
  const reply = await fetch(`${local.apiUrl}/api/v1/protocol/execute`, { method: 'POST', headers, body })

  expect(body.length).toBeLessThan(262_144)
  expect(reply.status).toBe(413)
  expect(await reply.json()).toMatchObject({ detail: 'The request body exceeds 262144 bytes. Send a smaller one.' })
  expect(target.calls).toEqual([])
})

test('200: an output whose numbers are longer when written out is described', async () => {
  target.next((response) => response.end(EXPONENTS))
  const { status, body } = await acme.execute('get_contact')

  expect(status).toBe(200)
  expect(body.result.output).toEqual({ truncated: true, bytes: EXPONENTS.length, sha256: sha256Hex(EXPONENTS) })
})

test('422: declared context has a limit, at which the longest output still fits beside it', async () => {
  const context = (length: number) => ({ policy_context: { context: { a: 'q'.repeat(length) } } })
  const calls = target.calls.length
  expect(await acme.execute('get_contact', context(8_200))).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'policy_context', 'context'], msg: 'must not exceed 8192 bytes' }] },
  })
  expect(target.calls).toHaveLength(calls)

  target.next(json(200, 'z'.repeat(262_142)))
  expect(await acme.execute('get_contact', context(8_180))).toMatchObject({ status: 200 })
})

test('200: an undo whose payload and output do not fit together describes the output', async () => {
  const output = { text: 'z'.repeat(250_000) }
  target.next(json(200, output))
  const payload = { text: 'q'.repeat(250_000) }
  const { receipt } = bodyOf(await acme.execute('update_deal', { payload }), 200)
  const undone = await acme.undo(receipt.request_id)

  expect(undone).toMatchObject({ status: 200, body: { status: 'undone' } })
  const text = JSON.stringify(output)
  expect(target.calls.at(-1)?.body.payload).toEqual({
    request_id: receipt.request_id,
    payload,
    output: { truncated: true, bytes: text.length, sha256: sha256Hex(text) },
  })
})

test('422: a manifest that is too long to be stored is refused, by validation too', async () => {
  const described = (length: number) =>
    manifestOf(
      Array.from({ length: 130 }, (_, i) => ({ action_id: `get_${i}`, description: 'd'.repeat(length) })),
      { id: 'crm.contacts.long' },
    )
  const msg = 'must not exceed 262144 bytes, headers of targets counted twice'
  for (const route of [protocol.validateManifest, protocol.registerManifest]) {
    expect(await acme.call(route, { body: described(2_000) })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'manifest'], msg }] },
    })
  }

  expect(await acme.call(protocol.registerManifest, { body: described(1_960) })).toMatchObject({ status: 201 })
})

test('201: a manifest full of target headers is stored', async () => {
  const value = 'v'.repeat(8)
  const headers = Object.fromEntries(Array.from({ length: 32 }, (_, i) => [`h${i}`, value]))
  const to = { type: 'http', url: target.url, headers }
  const endpoints = Array.from({ length: 150 }, (_, i) => ({ action_id: `get_${i}`, target: to }))

  expect(
    await acme.call(protocol.registerManifest, { body: manifestOf(endpoints, { id: 'crm.contacts.headers' }) }),
  ).toMatchObject({ status: 201 })
})
