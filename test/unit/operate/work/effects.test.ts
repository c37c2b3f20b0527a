// What other areas do with tasks: open and close them in commits of their own, and act when one is completed.
import { beforeEach, describe, expect, test } from 'vitest'
import type { Context } from '../../../../shared/base/context.ts'
import { conflict } from '../../../../shared/base/lib/failure.ts'
import type { TaskEffects } from '../../../../shared/govern/tasks/task-effects.ts'
import { changeTask } from '../../../../shared/operate/work/change-task.ts'
import { closeTask, commitTask } from '../../../../shared/govern/tasks/store-task.ts'
import { openTask } from '../../../../shared/govern/tasks/open-task.ts'
import { tasks } from '../../../../shared/govern/tasks/task.ts'
import { deploy } from '../../edge/deployment.ts'

let ctx: Context
beforeEach(async () => {
  const service = await deploy()
  ctx = { ...service.ctx, principal: { ...service.ctx.principal, permissions: new Set(['workers:write']) } }
})

const STEP = {
  id: 'tsk_step_1',
  title: 'Restart the queue',
  kind: 'incident_step',
  source: { type: 'incident', id: 'inc_1' },
} as const
const open = async () => commitTask(ctx, await openTask(ctx, STEP))
const stored = () => ctx.table.get(tasks, { ...ctx.space, id: STEP.id })
const complete = (effects: TaskEffects) => changeTask(ctx, STEP.id, { status: 'completed' }, effects)

describe('a task of an area', () => {
  test('is opened once, where its id follows from what it is about', async () => {
    await open()
    await expect(open()).rejects.toMatchObject({ kind: 'conflict' })
    expect(await stored()).toMatchObject({ ...STEP, status: 'open', priority: 'medium' })
  })

  test('is closed by the area, once', async () => {
    await open()
    const end = { status: 'cancelled', resolution: 'incident resolved' } as const
    const parts = await closeTask(ctx, STEP.id, end)
    if (!parts) throw new Error('the task has ended')
    await commitTask(ctx, parts)

    expect(await stored()).toMatchObject(end)
    expect(await closeTask(ctx, STEP.id, end)).toBeUndefined()
    expect(await closeTask(ctx, 'tsk_missing', end)).toBeUndefined()
  })
})

describe('what completing a task does besides', () => {
  test('is in the same commit', async () => {
    await open()
    const other = await openTask(ctx, { ...STEP, id: 'tsk_step_2' })
    await complete({ incident_step: async () => ({ writes: other.writes, transitions: other.transitions }) })

    expect(await stored()).toMatchObject({ status: 'completed' })
    expect(await ctx.table.get(tasks, { ...ctx.space, id: 'tsk_step_2' })).toBeDefined()
  })

  test('keeps it as it is when it is refused, and is not asked for tasks of other kinds', async () => {
    await open()
    const refuse = async () => Promise.reject(conflict('not now'))
    await expect(complete({ incident_step: refuse })).rejects.toThrow('not now')
    expect(await stored()).toMatchObject({ status: 'open' })
    await complete({ evidence_review: refuse })
    expect(await stored()).toMatchObject({ status: 'completed' })
  })
})
