import { beforeEach, describe, expect, test } from 'vitest'
import type { Measure } from '../../../../shared/base/catalog/measures.ts'
import { foldSpace } from '../../../../shared/ledger/fold/fold.ts'
import { TOUCHED_MAX } from '../../../../shared/ledger/fold/folder.ts'
import { hitsFolder, newestHits, readSums } from '../../../../shared/ledger/hits/hit.ts'
import { Sums } from '../../../../shared/base/kernel/count.ts'
import { FURTHER, HITS_MAX } from '../../../../shared/govern/governance/decide/hits.ts'
import { Service, space } from '../../deliver/webhooks/service.ts'
import { dyingAt, logged } from '../../operate/metrics/space.ts'
import { autoExecution } from '../events/auto-execution.ts'

const MINUTE = 60_000
/** Of the ids in the log. */
const AT = 1_795_300_000_000

const hit = (policy_id: string): Measure => ['h', policy_id, 0, 3, 1, 1, 0]
const DECIDED: Measure = ['d', 0, 0, 84, 1, 213]

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

const fold = () => foldSpace(it.ctx(), [hitsFolder(space)], Number.POSITIVE_INFINITY)

describe('hits', () => {
  test('are counted once each, wherever the worker dies', async () => {
    for (let call = 1, died = true; died; call += 1) {
      it = new Service()
      await it.start()
      await logged(it, 30, [DECIDED, hit('pol_1')])
      it.clock.moveTo(it.clock.now() + 2 * MINUTE)
      died = await dyingAt(it, call, fold)

      await fold()

      for (const period of ['hours', 'days'] as const) {
        const { sums } = await readSums(it.ctx(), 'pol_1', { period, from: AT - (AT % 86_400_000) })
        expect(sums, `died at call ${call}`).toEqual([
          expect.objectContaining({
            node_id: 'crm.contacts.editor',
            action_id: 'update_contact',
            result: 'shadow:forbid',
            n: 30,
            unknown: 30,
            'AUTO->REJECT': 30,
          }),
        ])
      }
    }
  })

  test('of a rule named by people touch no other', async () => {
    const requested = autoExecution().filter(({ type }) => type === 'action.requested')
    const sums = new Sums()
    hitsFolder(space).fold(
      { at: AT, first: 1, last: 1, events: requested, measures: [hit('persona:a#b/ü\ud800')] },
      sums,
      {},
    )

    expect(sums.items().map(({ item }) => item.pk.split('#').length)).toEqual([6, 5, 5])
  })

  test('of one commit touch no more items than a transaction has room for', () => {
    const sums = new Sums()
    const measures = [...Array.from({ length: HITS_MAX }, (_, n) => hit(`pol_${n}`)), hit(FURTHER), DECIDED]
    hitsFolder(space).fold({ at: AT, first: 1, last: 6, events: autoExecution(), measures }, sums, {})

    expect(sums.size).toBe(TOUCHED_MAX)
  })

  test('are read newest first, day by day, and no further back than asked', async () => {
    await logged(it, 1, [DECIDED, hit('pol_1')])
    it.clock.moveTo(Math.max(it.clock.now() + 2 * MINUTE, AT))
    await fold()

    expect(await newestHits(it.ctx(), 'pol_1', { from: AT - 1, limit: 5 })).toEqual([expect.stringMatching(/^exe_/)])
    expect(await newestHits(it.ctx(), 'pol_1', { from: AT + 1, limit: 5 })).toEqual([])
    expect(await newestHits(it.ctx(), 'pol_2', { from: AT - 1, limit: 5 })).toEqual([])
  })

  test('that a commit states in a form of its own are left out, and so is a commit without an action', () => {
    const sums = new Sums()
    const { fold: add } = hitsFolder(space)
    add(
      { at: AT, first: 1, last: 6, events: autoExecution(), measures: [['h', 'pol_1', 99, 0, 0, 0, 0], ['h']] },
      sums,
      {},
    )
    add({ at: AT, first: 7, last: 7, events: [], measures: [hit('pol_1')] }, sums, {})

    expect(sums.size).toBe(0)
  })
})
