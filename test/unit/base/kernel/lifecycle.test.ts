import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { moves } from '../../../../shared/base/kernel/lifecycle.ts'
import { lifecycle } from '../../../../shared/ledger/evidence/artifact/lifecycle.ts'
import type { States } from '../../../../shared/base/lib/states.ts'
import { entity } from '../../../../shared/base/table/entity.ts'
import { ChangedMeanwhile } from '../../../../shared/base/kernel/retry.ts'
import { ConditionFailed } from '../../../../shared/base/table/table.ts'
import { commitWith } from '../../../../shared/ledger/evidence/artifact/record.ts'
import { type Deployment, deploy } from '../../edge/deployment.ts'

const Door = z.object({
  id: z.string(),
  kind: z.enum(['plain', 'fire']),
  status: z.enum(['open', 'shut', 'locked']),
  shut_by: z.string().optional(),
  artifact_id: z.string(),
})
type Door = z.output<typeof Door>

const items = entity({
  name: 'DOOR',
  unbound: 'proven by artifacts',
  schema: Door,
  key: ({ id }: { id: string }) => ({ pk: 'DOORS', sk: id }),
})
const STATES: States<Door['status']> = { open: ['shut'], shut: ['open', 'locked'], locked: [] }

const madeOf = (id: string) =>
  ({ artifact_type: 'model', resource_id: id, name: 'door', sha256: null, size_bytes: null }) as const

const doors = lifecycle(items, STATES, {
  named: ({ artifact_id }) => ({ artifact_id }),
  facts: (next, was, because: string | undefined) => ({
    type: 'manifest.registered',
    subject: { type: 'node', id: next.id },
    data: { from: was?.status ?? null, to: next.status, ...(because !== undefined && { because }) },
  }),
  events: ({ id, _v }, was) =>
    was ? [{ type: 'artifact.created', subject: { id, version: _v }, data: madeOf(id) }] : [],
})

let service: Deployment
beforeEach(async () => {
  service = await deploy()
})

async function opened() {
  const { ctx } = service
  const { item, write, transition } = doors.begin(ctx, { id: 'a', kind: 'plain', status: 'open' })
  await ctx.table.commit([write, ...commitWith(ctx, [transition])])
  return item
}

describe('a life with evidence', () => {
  test('begins with an item that names its artifact', async () => {
    const door = await opened()

    expect(await service.ctx.table.get(items, { id: 'a' })).toEqual(door)
    expect(door).toMatchObject({ status: 'open', artifact_id: expect.stringMatching(/^art_/), _v: 1 })
    expect(service.count('EV')).toBe(1)
  })

  test('moves the item that was read, and proves from where to where', async () => {
    const was = await opened()
    const { item, write, transition } = doors.move(service.ctx, was, 'shut', { shut_by: 'usr_1' }, 'of the wind')
    await service.ctx.table.commit([write])

    const stored = await service.ctx.table.get(items, { id: 'a' })
    expect(stored).toEqual({ ...was, status: 'shut', shut_by: 'usr_1', artifact_id: item.artifact_id, _v: 2 })
    expect(item.artifact_id).not.toBe(was.artifact_id)
    expect(transition.artifact.artifact_id).toBe(item.artifact_id)
    expect(JSON.parse(transition.artifact.header).data).toEqual({ from: 'open', to: 'shut', because: 'of the wind' })
    expect(transition.events).toMatchObject([{ subject: { id: 'a', version: 2 } }])
  })

  test('409: has no move that the table of states lacks', async () => {
    const was = await opened()

    expect(() => doors.move(service.ctx, was, 'locked')).toThrow('You cannot change the status from open to locked.')
    expect(() => doors.move(service.ctx, was, 'open')).toThrow('from open to open')
  })

  test('changes an item within its state with evidence, or touches it without', async () => {
    const was = await opened()
    const { item, transition } = doors.change(service.ctx, was, { kind: 'fire' })

    expect(item).toMatchObject({ status: 'open', kind: 'fire', artifact_id: transition.artifact.artifact_id, _v: 2 })
    expect(doors.touch(was, { shut_by: 'usr_1' }).item).toEqual({ ...was, shut_by: 'usr_1', _v: 2 })
  })

  test('409: loses against whoever changed the item meanwhile, and stores nothing', async () => {
    const was = await opened()
    const { table } = service.ctx
    await table.commit([doors.move(service.ctx, was, 'shut').write])

    const { write, transition } = doors.move(service.ctx, was, 'shut')
    await expect(table.commit([write, ...commitWith(service.ctx, [transition])])).rejects.toThrow(ChangedMeanwhile)
    expect(service.count('EV')).toBe(1)
  })
})

describe('a life without evidence', () => {
  const statesOf = ({ kind }: Door) => (kind === 'plain' ? STATES : { open: ['shut' as const] })
  const quiet = moves(items, statesOf, { lost: () => undefined })

  test('goes by the table of the item, where its kind has several', async () => {
    const was = { ...(await opened()), status: 'shut' as const }

    expect(quiet.move(was, 'locked').item).toMatchObject({ status: 'locked', _v: 2 })
    expect(() => quiet.move({ ...was, kind: 'fire' }, 'locked')).toThrow('from shut to locked')
  })

  test('loses with ConditionFailed where its readers look for that', async () => {
    const { table } = service.ctx
    const was = await opened()
    await table.commit([quiet.move(was, 'shut').write])

    await expect(table.commit([quiet.move(was, 'shut').write])).rejects.toThrow(ConditionFailed)
  })
})
