import { iso, MINUTE_MS } from '../../../../shared/base/lib/clock.ts'
import { describe, expect, test } from 'vitest'
import { mustAllowMove } from '../../../../shared/base/lib/states.ts'
import { slaPolicyFor } from '../../../../shared/base/sla/policy.ts'
import { startSla } from '../../../../shared/base/sla/sla.ts'
import { moved, reprioritised } from '../../../../shared/govern/tasks/store-task.ts'
import {
  FOLLOWS,
  hasEnded,
  TASK_STATES,
  TASK_STATUSES,
  type TaskStatus,
} from '../../../../shared/govern/tasks/states.ts'
import { type Task, tasks } from '../../../../shared/govern/tasks/task.ts'

const START = Date.parse('2026-11-20T10:00:00.000Z')
const after = (minutes: number) => START + minutes * MINUTE_MS
const space = { tenant_id: 'ten_1', mode: 'live' } as const

const taskOf = (over: Partial<Task> = {}): Task => ({
  ...space,
  id: 'tsk_1',
  title: 'Look',
  kind: 'incident_step',
  status: 'open',
  priority: 'medium',
  assignee: null,
  labels: [],
  sla: startSla(slaPolicyFor({ kind: 'incident_step', priority: 'medium' }), START),
  checklist: [],
  comments_count: 0,
  created_at: iso(START),
  updated_at: iso(START),
  created_by: { type: 'system', id: 'system' },
  ...over,
})

const ROUTES: Record<TaskStatus, TaskStatus[]> = {
  open: [],
  in_progress: ['in_progress'],
  blocked: ['blocked'],
  in_review: ['in_progress', 'in_review'],
  completed: ['completed'],
  cancelled: ['cancelled'],
}
const taskIn = (status: TaskStatus) =>
  ROUTES[status].reduce((task, to, index) => moved(task, { status: to }, after(index + 1)), taskOf())

describe('a move of a task', () => {
  test.each(TASK_STATUSES.flatMap((from) => TASK_STATUSES.map((to) => [from, to] as const)))('%s to %s', (from, to) => {
    if (!TASK_STATES[from].includes(to)) {
      expect(() => mustAllowMove(TASK_STATES, from, to)).toThrow(expect.objectContaining({ kind: 'conflict' }))
      return
    }
    const next = moved(taskIn(from), { status: to }, after(5))
    expect(next.status).toBe(to)
    expect(next.completed_at).toBe(hasEnded(to) ? iso(after(5)) : undefined)
    expect(next.sla.running_since === null).toBe(hasEnded(to) || to === 'blocked')
  })

  test('out of the first state is the first response', () => {
    const next = moved(taskOf(), { status: 'in_progress' }, after(5))
    expect(next).toMatchObject({ started_at: iso(after(5)), sla: { first_response_at: iso(after(5)) } })
    expect(moved(next, { status: 'blocked' }, after(9)).sla.first_response_at).toBe(iso(after(5)))
  })

  test('that is none changes nothing but the resolution', () => {
    const task = taskIn('completed')
    expect(moved(task, { status: 'completed' }, after(9))).toBe(task)
    expect(moved(task, FOLLOWS.execution.undone, after(9))).toEqual({ ...task, resolution: 'undone' })
  })

  test('back out of an end forgets how it ended', () => {
    const task = moved(taskIn('completed'), { status: 'completed', resolution: 'fixed' }, after(2))
    expect(moved(task, { status: 'open' }, after(3))).toMatchObject({ resolution: undefined, completed_at: undefined })
  })
})

test('another priority is under its own policy, with what was used up', () => {
  const urgent = reprioritised(taskOf(), 'urgent', after(3))
  expect(urgent).toMatchObject({
    priority: 'urgent',
    sla: { policy_id: 'sla_incidents-sev1', consumed_ms: 3 * MINUTE_MS, first_response_due_at: iso(after(5)) },
  })
})

test('a task is listed by who has it until it ends, and then by who did it', () => {
  const mine = { assignee: { type: 'human', id: 'usr_1' }, worker_id: 'wrk_1' } as const
  const index = (task: Task) => tasks.index?.(task)
  expect(index(taskOf(mine))).toMatchObject({ gsi3pk: 'T#ten_1#live#TASKS#A#usr_1', gsi3sk: 'tsk_1' })
  const done = moved(taskOf(mine), { status: 'completed' }, after(2))
  expect(index(done)).toMatchObject({
    gsi3pk: 'T#ten_1#live#TASKS#D#wrk_1',
    gsi3sk: `${iso(after(2))}#000000000120#hit#tsk_1`,
  })
  expect(index(done)).not.toHaveProperty('gsi2pk')
  expect(index(moved(taskOf(mine), { status: 'cancelled' }, after(2)))).not.toHaveProperty('gsi3pk')
})
