// Counts how decisions of people agree with what models had said, each decision once.
import { MEASURES } from '../../base/catalog/measures.ts'
import type { Space } from '../../base/context.ts'
import type { Folder } from '../../ledger/fold/folder.ts'
import { iso } from '../../base/lib/clock.ts'
import { TRIED } from '../../base/catalog/measure-words.ts'
import { ARMS } from '../../govern/learned/learned.ts'
import { abCounts, armCounts } from './ab-test.ts'
import { agreementItem } from './agreement.ts'

export const experimentsFolder = (space: Space): Folder => ({
  name: 'experiments',
  fold({ at, measures }, sums) {
    for (const one of measures) {
      const deployed = MEASURES.q.safeParse(one).data
      if (deployed) {
        const [, slot, version, right] = deployed
        const item = agreementItem(space, { day: iso(at).slice(0, 10), slot, version })
        sums.add(item, 'n', 1)
        sums.add(item, 'k', right)
      }
      const tried = MEASURES.y.safeParse(one).data
      if (tried) {
        const [, id, arm, what, n, k, unit = '-'] = tried
        const item = { ...armCounts.key({ ...space, id, arm: ARMS[arm], unit }), type: armCounts.name }
        sums.add(item, `${TRIED[what]}_n`, n)
        sums.add(item, `${TRIED[what]}_k`, k)
      }
      const judged = MEASURES.x.safeParse(one).data
      if (!judged) continue
      const [, id, a, b] = judged
      const item = { ...abCounts.key({ ...space, id }), type: abCounts.name }
      sums.add(item, 'n', 1)
      sums.add(item, 'both', a && b)
      sums.add(item, 'only_a', a && !b ? 1 : 0)
      sums.add(item, 'only_b', b && !a ? 1 : 0)
    }
  },
})
