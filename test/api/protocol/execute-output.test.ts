import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sha256Hex } from '../../../shared/base/lib/json.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { type Behaviour, json, startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let acme: Governed
beforeAll(async () => {
  target = await startTarget()
  const to = { type: 'http', url: target.url, timeout_ms: 1_000 }
  acme = await governed(local, [{ action_id: 'get_contact', target: to }])
})
afterAll(() => target.stop())

const run = () => acme.execute('get_contact')

describe('POST /api/v1/protocol/execute, latency budget', () => {
  test.each([
    { budget: 4_999, exceeded: true },
    { budget: 60_000, exceeded: undefined },
  ])('200: of $budget ms, when the target takes 5 s', async ({ budget, exceeded }) => {
    target.next((response) => {
      local.clock.moveTo(local.clock.now() + 5_000)
      response.writeHead(204).end()
    })
    const { body } = await acme.execute('get_contact', { routing_hints: { latency_budget_ms: budget } })

    expect(body.receipt.latency_ms).toBeGreaterThanOrEqual(5_000)
    expect(body.receipt.routing_decision.budget_exceeded).toBe(exceeded)
    expect((await acme.look(body.receipt.request_id)).receipt).toEqual(body.receipt)
  })
})

describe('POST /api/v1/protocol/execute, output of a target', () => {
  test.each<[string, Behaviour, object]>([
    ['nothing', (response) => response.writeHead(204).end(), {}],
    ['a text', json(200, 'done'), { output: 'done' }],
    ['null', json(200, null), { output: null }],
    ['a number', json(200, 0.1), { output: 0.1 }],
  ])('200: an answer of %s', async (_, behaviour, result) => {
    target.next(behaviour)

    expect(await run()).toMatchObject({ status: 200, body: { result: { output: {}, ...result } } })
  })

  const long = JSON.stringify({ text: 'x'.repeat(262_144) })
  const huge = 'x'.repeat(1_200_000)
  test.each([
    ['no JSON', 'it is done'],
    ['JSON nested too deep to be kept', `${'['.repeat(40)}${']'.repeat(40)}`],
    ['a number that JSON cannot carry', '{"n":9007199254740993}'],
    ['more than 256 KiB', long],
  ])('200: %s is described by length and hash', async (_, text) => {
    target.next((response) => response.end(text))

    expect((await run()).body.result.output).toEqual({ truncated: true, bytes: text.length, sha256: sha256Hex(text) })
  })

  test('200: no more than 1 MiB is read', async () => {
    target.next((response) => response.end(huge))
    const { body } = await run()

    expect(body.result.output).toEqual({
      truncated: true,
      bytes: 1_048_576,
      sha256: sha256Hex(huge.slice(0, 1_048_576)),
    })
  })

  test('200: a body that never ends does not undo the status line', async () => {
    target.next((response) => response.writeHead(200).write('{"half":'))

    expect(await run()).toMatchObject({ status: 200, body: { result: { output: { truncated: true, bytes: 8 } } } })
  })
})
