import { expect, test } from 'vitest'
import type { Execution } from '../../../../shared/govern/executions/execution.ts'
import { toolResult } from '../../../../shared/govern/mcp/tool-result.ts'

const id = 'exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R'
const said = (over: Partial<Execution>, reason?: string) =>
  toolResult({ id, artifacts: [], ...over } as unknown as Execution, { payload: {}, reason }) // all that it reads

const POLICY = { policy_id: 'pol_1', detail: 'Rejected by policy pol_1: too much' }
const TIMEOUT = { code: 'target_timeout', message: 'The target did not answer in time.' }

test.each([
  ['by a policy', said({ status: 'rejected', rejection: POLICY }), 'rejected', `NOT DONE. ${POLICY.detail}`],
  ['by a person', said({ status: 'rejected' }, 'Ask Ann.'), 'rejected', 'NOT DONE. A person rejected it: Ask Ann.'],
  ['by a person who says nothing', said({ status: 'rejected' }), 'rejected', 'NOT DONE. A person rejected it.'],
  ['by nobody in time', said({ status: 'expired' }), 'expired', 'NOT DONE. Nobody approved it in time.'],
  ['by the caller', said({ status: 'cancelled' }), 'cancelled', 'NOT DONE. The request was cancelled.'],
])('what was ended %s was not done, and the model is told why', (_, result, status, text) => {
  expect(result).toMatchObject({
    isError: true,
    content: [{ type: 'text', text }],
    structuredContent: { status, request_id: id },
  })
})

test('a failure says what the target said', () => {
  expect(said({ status: 'failed', error: TIMEOUT })).toMatchObject({
    isError: true,
    content: [{ text: 'The action failed. The target did not answer in time.' }],
    structuredContent: { status: 'failed', code: 'target_timeout' },
  })
})

test('where nobody knows the outcome, a model must not try again', () => {
  expect(said({ status: 'outcome_unknown', error: TIMEOUT })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('Do not repeat it') }],
    structuredContent: { status: 'outcome_unknown', code: 'target_timeout' },
  })
})
