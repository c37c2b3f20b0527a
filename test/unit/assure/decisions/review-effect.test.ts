// Completing the task of a review is the same decision as that of the endpoint.
import { beforeEach, describe, expect, test } from 'vitest'
import { decideEvidence, reviewEffect } from '../../../../shared/assure/decisions/decide.ts'
import { linksNow } from '../../../../shared/assure/submissions/link.ts'
import { reviewTaskId } from '../../../../shared/assure/submissions/submit.ts'
import type { Context } from '../../../../shared/base/context.ts'
import { changeTask } from '../../../../shared/operate/work/change-task.ts'
import { personIn } from '../../../support/person.ts'
import { SPACE, type World } from '../../ledger/evidence/world.ts'
import { GOOD, headersOf, officeWorld, owner, stored, submit } from './make.ts'

let it: World
beforeEach(async () => {
  it = await officeWorld()
})

/** An administrator may change tasks and decide on evidence. */
const admin = () => personIn(SPACE, ['admin'])
const complete = (id: string, over: object = {}, ctx: Context = admin()) =>
  changeTask(
    ctx,
    reviewTaskId(id),
    { status: 'completed', resolution: GOOD.decision, note: GOOD.reason, ...over },
    { evidence_review: reviewEffect },
  )

describe('completing the task of a review', () => {
  test('decides on the evidence exactly as the endpoint does', async () => {
    const valid_until = '2027-01-01T00:00:00.000Z'
    const [first, second] = [await submit({ valid_until }), await submit({ valid_until })]
    await decideEvidence(admin(), first.id, GOOD)
    const { task } = await complete(second.id)
    const [one, other] = [await stored(it, first.id), await stored(it, second.id)]
    const typesOf = (id: string) => headersOf(it, id).map(({ type }) => type)

    expect(task).toMatchObject({ status: 'completed', resolution: 'accepted' })
    expect(other).toMatchObject({ status: 'accepted', decision: { ...one.decision, at: expect.any(String) } })
    expect(typesOf(second.id).slice(0, 2)).toEqual(typesOf(first.id).slice(0, 2))
    expect((await linksNow(it.ctx, it.clock.now())).map(({ evidence_id }) => evidence_id)).toContain(second.id)
  })

  test.each([
    ['without a reason', { note: undefined }, 'note'],
    ['with a longer reason than a decision has', { note: 'x'.repeat(2_001) }, 'note'],
    ['without a resolution', { resolution: undefined }, 'resolution'],
    ['with another resolution', { resolution: 'fine' }, 'resolution'],
  ])('%s is refused, and nothing is decided', async (_, over, member) => {
    const { id } = await submit()

    await expect(complete(id, over)).rejects.toMatchObject({ kind: 'invalid', detail: [{ loc: ['body', member] }] })
    expect(await stored(it, id)).toMatchObject({ status: 'submitted' })
  })

  test('is refused to the submitter', async () => {
    const { id } = await submit()

    await expect(complete(id, {}, owner())).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('is refused to somebody who may change tasks but decide on no evidence', async () => {
    const { id } = await submit()

    await expect(complete(id, {}, personIn(SPACE, ['operator']))).rejects.toMatchObject({ kind: 'forbidden' })
    expect(await stored(it, id)).toMatchObject({ status: 'submitted' })
  })

  test('cannot be said otherwise afterwards, nor before', async () => {
    const { id } = await submit()
    await expect(complete(id, { status: undefined })).rejects.toMatchObject({ kind: 'conflict' })
    await complete(id)

    await expect(complete(id, { resolution: 'rejected' })).rejects.toMatchObject({ kind: 'conflict' })
    await expect(complete(id, { status: undefined, resolution: 'rejected' })).rejects.toMatchObject({
      kind: 'conflict',
    })
  })

  test('may give the task to whoever completes it in the same request', async () => {
    const { id } = await submit()

    expect(await complete(id, { assignee: { type: 'human', id: 'usr_admin' } })).toMatchObject({ changed: true })
    expect(await stored(it, id)).toMatchObject({ status: 'accepted' })
  })

  test('at the same time as the endpoint decides is one decision', async () => {
    const { id } = await submit()
    const auditor = personIn(SPACE, ['auditor'])
    const both = await Promise.allSettled([
      complete(id),
      decideEvidence(auditor, id, { decision: 'rejected', reason: 'No.' }),
    ])

    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(both.filter((one) => one.status === 'rejected')).toMatchObject([{ reason: { kind: 'conflict' } }])
  })
})
