// A whole agent: the loop of the Vercel AI SDK, with a model that says what a script tells it. Beyond URL and key it gets nothing.
import { createMCPClient } from '@ai-sdk/mcp'
import { generateText, isStepCount } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Governed, governed } from '../../support/governed.ts'
import { startTarget, type TestTarget } from '../../support/target.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let target: TestTarget
let it: Governed
beforeAll(async () => {
  target = await startTarget()
  const { url } = target
  it = await governed(local, [{ action_id: 'delete_contact', target: { type: 'http', url } }])
})
afterAll(() => target.stop())

type Said = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>

const usage: Said['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

const calls = (toolName: string, input: object): Said => ({
  content: [{ type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls', raw: undefined },
  usage,
  warnings: [],
})

const says = (text: string): Said => ({
  content: [{ type: 'text', text }],
  finishReason: { unified: 'stop', raw: undefined },
  usage,
  warnings: [],
})

/** What the model is told by the last tool. */
const lastOf = (prompt: readonly unknown[]): string => JSON.stringify(prompt.at(-1))

test('an agent waits for the person that its action needs, and ends with the output', async () => {
  const headers = { Authorization: `Bearer ${it.live_key}` }
  const url = `${local.apiUrl}/mcp/${it.tenant_id}`
  const client = await createMCPClient({ transport: { type: 'http', url, headers } })
  const script = [
    () => calls('editor_delete_contact', { contact: 'con_1' }),
    async (told: string) => {
      const [request_id = ''] = /exe_[0-9A-Z]{26}/.exec(told) ?? []
      const { status, approval } = await it.look(request_id)
      expect(told).toContain('NOT DONE. A person must approve this first')
      expect([status, target.calls]).toEqual(['pending_approval', []])
      await it.approve(approval.id)
      return calls('countersign_wait', { request_id })
    },
    (told: string) => says(`The target said ${/deleted by the target/.exec(told)?.[0]}.`),
  ]
  target.next((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('"deleted by the target"'),
  )
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => (await script.shift()?.(lastOf(prompt))) ?? says('no more'),
  })

  const { text, steps } = await generateText({
    model,
    tools: await client.tools(),
    stopWhen: isStepCount(5),
    prompt: 'Delete contact con_1.',
  })

  expect(text).toBe('The target said deleted by the target.')
  expect(steps).toHaveLength(3)
  expect(target.calls).toHaveLength(1)
  await client.close()
})
