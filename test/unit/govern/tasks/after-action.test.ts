import { describe, expect, test } from 'vitest'
import { startSla } from '../../../../shared/base/sla/sla.ts'
import { slaPolicyFor } from '../../../../shared/base/sla/policy.ts'
import { afterAction } from '../../../../shared/govern/tasks/followed.ts'
import type { TaskStatus } from '../../../../shared/govern/tasks/states.ts'
import type { Task } from '../../../../shared/govern/tasks/task.ts'
import type { ExecutionStatus } from '../../../../shared/govern/executions/states.ts'

const START = Date.parse('2026-11-20T10:00:00.000Z')
const at = new Date(START).toISOString()

const taskIn = (status: TaskStatus): Task => ({
  tenant_id: 'ten_1',
  mode: 'live',
  id: 'tsk_1',
  title: 'Mend',
  kind: 'incident_step',
  status,
  priority: 'medium',
  assignee: { type: 'human', id: 'usr_1' },
  worker_id: 'wrk_1',
  labels: [],
  sla: startSla(slaPolicyFor({ kind: 'incident_step', priority: 'medium' }), START),
  checklist: [],
  comments_count: 0,
  created_at: at,
  updated_at: at,
  created_by: { type: 'system', id: 'system' },
  action: {
    node_id: 'a.b.c',
    action_id: 'mend',
    digest: 'sha256:00',
    runbook_id: 'rbk_1',
    runbook_version: 1,
    execution: { id: 'exe_1', status: 'pending_approval' },
  },
})
const after = (was: TaskStatus, status: ExecutionStatus, id = 'exe_1') =>
  afterAction(taskIn(was), { id, status, rejection: undefined, error: undefined }, START)

describe('a task in review', () => {
  test.each([
    ['approved', 'in_review'],
    ['executing', 'in_review'],
    ['outcome_unknown', 'in_review'],
    ['executed', 'completed'],
    ['failed', 'in_progress'],
    ['rejected', 'in_progress'],
    ['expired', 'in_progress'],
    ['cancelled', 'in_progress'],
  ] as const)('whose execution is %s is %s', (status, expected) => {
    const { task, note } = after('in_review', status)

    expect(task).toMatchObject({ status: expected, action: { execution: { id: 'exe_1', status } } })
    expect(task.comments_count).toBe(expected === 'in_progress' ? 1 : 0)
    expect(note === undefined).toBe(expected !== 'in_progress')
    expect(task.assignee).toEqual({ type: 'human', id: 'usr_1' })
  })
})

describe('a task that is done', () => {
  test.each(['undone', 'failed'] as const)('is open for nobody yet when its execution is %s after all', (status) => {
    expect(after('completed', status).task).toMatchObject({ status: 'open', assignee: null, worker_id: undefined })
  })

  test('stays done as people said, when the outcome is reported as they thought', () => {
    expect(after('completed', 'executed').task).not.toHaveProperty('resolution')
  })
})

test.each(['open', 'in_progress', 'blocked', 'cancelled'] as const)(
  'a task that somebody has moved to %s follows no former execution',
  (status) => {
    const was = taskIn(status)
    const requested = { id: 'exe_1', status: 'executed', rejection: undefined, error: undefined } as const
    expect(afterAction(was, requested, START).task).toBe(was)
  },
)

test('a task follows the execution that it asked for last, and no other', () => {
  expect(after('in_review', 'executed', 'exe_0').task.status).toBe('in_review')
})
