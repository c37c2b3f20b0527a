// Counts over the event log of a space what its policies did, each action once.
import { DECIDED, HIT_RESULTS, OUTCOMES } from '../../base/catalog/measure-words.ts'
import { TIERS } from '../../base/catalog/kinds.ts'
import { MEASURES } from '../../base/catalog/measures.ts'
import type { Space } from '../../base/context.ts'
import { sha256Hex } from '../../base/lib/json.ts'
import { timeOfId } from '../../base/lib/ids.ts'
import type { FoldedCommit, Folder } from '../fold/folder.ts'
import type { SumItem } from '../../base/kernel/count.ts'
import { type HitAbout, hitItem, type HitPeriod, periodOf, PERIODS, sumsPartition } from './hit.ts'

export const HITS_FOLDER = 'hits'

export const hitsFolder = (space: Space): Folder => ({
  name: HITS_FOLDER,
  fold(commit, sums) {
    const asked = commit.events.find((event) => event.type === 'action.requested')
    if (!asked) return
    const { request_id, node_id, action_id, agent_id } = asked.data
    const decided = decidedIn(commit)
    for (const { policy_id, result, otherwise, shadow, unknown, undo } of hitsIn(commit)) {
      const of = { ...space, policy_id }
      const row = hitItem(of, request_id)
      sums.add(row, 'n', 1)
      sums.add(row, 'undo', undo)
      const about = { node_id, action_id, ...(agent_id !== null && { agent_id }), result }
      for (const period of ['hours', 'days'] as const) {
        const item = sumItem(of, period, { at: timeOfId(request_id), about })
        sums.add(item, 'n', 1)
        sums.add(item, 'unknown', unknown)
        const [from, to] = shadow ? [decided, otherwise] : [otherwise, decided]
        if (decided !== undefined && from !== to) sums.add(item, `${from}->${to}`, 1)
      }
    }
  },
})

function hitsIn({ measures }: FoldedCommit) {
  return measures.flatMap((one) => {
    const hit = MEASURES.h.safeParse(one).data
    if (!hit) return []
    const [, policy_id, result, otherwise, shadow, unknown, undo] = hit
    const name = `${shadow ? 'shadow:' : ''}${HIT_RESULTS[result]}`
    return [{ policy_id, result: name, otherwise: DECIDED[otherwise], shadow, unknown, undo }]
  })
}

/** How the action of a commit was decided; undefined where the commit does not say. */
function decidedIn({ measures }: FoldedCommit): string | undefined {
  const [decided] = measures.flatMap((one) => {
    const { data } = MEASURES.d.safeParse(one)
    return data ? [OUTCOMES[data[2]] === 'rejected' ? 'REJECT' : TIERS[data[1]]] : []
  })
  return decided
}

function sumItem(
  of: Space & { policy_id: string },
  period: HitPeriod,
  { at, about }: { at: number; about: HitAbout },
): SumItem {
  const { name, keptDays } = PERIODS[period]
  const { node_id, action_id, agent_id = '', result } = about
  const hash = sha256Hex(JSON.stringify([node_id, action_id, agent_id, result])).slice(0, 16)
  return {
    pk: sumsPartition(of, period),
    sk: `${periodOf(period, at)}#${hash}`,
    type: name,
    ttl: Math.floor(at / 1_000) + keptDays * 86_400,
    about,
  }
}
