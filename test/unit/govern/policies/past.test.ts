import { describe, expect, test } from 'vitest'
import type { Execution } from '../../../../shared/govern/executions/execution.ts'
import type { LoadedAction } from '../../../../shared/govern/manifests/load.ts'
import { answerIn, begunAt } from '../../../../shared/govern/policies/dry-run.ts'

const SEALED = new Uint8Array([1])
const TARGET = { type: 'http', url: 'https://target.example/' }
const execution = (parts: object) => ({ status: 'executed', artifacts: [], ...parts }) as unknown as Execution // all that it reads
const action = (target?: object) => ({ endpoint: { action_id: 'get_x', target } }) as unknown as LoadedAction // all that it reads

describe('the answer of a past execution', () => {
  test.each([
    ['is what was stored', { output: SEALED }, { output: { a: 1 } }, TARGET, { output: { a: 1 } }],
    ['may be null', { output: SEALED }, { output: null }, TARGET, { output: null }],
    ['is unknown where it was erased', { output: SEALED }, {}, TARGET, 'unknown'],
    ['is unknown where it was taken away', {}, {}, TARGET, 'unknown'],
    ['is none where none was stored', {}, { payload: {} }, TARGET, 'none'],
    ['is unknown where it never ran', { status: 'rejected' }, {}, TARGET, 'unknown'],
    ['is none where it failed', { status: 'failed' }, {}, TARGET, 'none'],
    ['is none without a target', { status: 'rejected' }, {}, undefined, 'none'],
  ])('%s', (_, parts, opened, target, answer) => {
    expect(answerIn(execution(parts), { payload: null, ...opened }, action(target))).toEqual(answer)
  })
})

test('what was held began when it was carried out, and what was not yet carried out when it was asked', () => {
  const at = '2026-11-20T10:00:00.000Z'
  const artifact = (type: string) => ({ artifact_id: 'art_1', type, hash: 'h', at })

  expect(begunAt(execution({ artifacts: [artifact('action.requested')] }), 5)).toBe(5)
  expect(begunAt(execution({ artifacts: [artifact('execution.started')] }), 5)).toBe(Date.parse(at))
  expect(begunAt(execution({ artifacts: [artifact('protocol.executed')] }), 5)).toBe(Date.parse(at))
})
