// Pairs chosen with rejected answers to the same prompt. The closer two answers are, the more the pair says about what made the
// difference.
import { jaccard } from './features.ts'
import { byConfidence, type Sample } from './sample.ts'

export type Pair = { chosen: Sample; rejected: Sample }

/** So many rejected samples, the most confident first, are compared with a chosen one. */
const COMPARED_MAX = 200

/** Each sample is in at most `most` pairs. Groups with one side give none. */
export function pairsOf(samples: readonly Sample[], most: number): Pair[] {
  const groups = Map.groupBy(samples, ({ group }) => group)
  return [...groups.keys()].toSorted().flatMap((group) => pairsOfGroup(groups.get(group) ?? [], most))
}

function pairsOfGroup(samples: readonly Sample[], most: number): Pair[] {
  const sorted = samples.toSorted(byConfidence)
  const chosen = sorted.filter(({ side }) => side === 'chosen')
  const rejected = sorted.filter(({ side }) => side === 'rejected')
  const known = new Set<string>()
  const pairs: Pair[] = []
  for (let round = 0; round < most; round += 1) {
    const unused = [...rejected]
    for (const one of chosen) {
      const other = closest(one, unused, known)
      if (other === undefined) continue
      const [partner] = unused.splice(other, 1)
      if (!partner) continue
      known.add(`${one.id} ${partner.id}`)
      pairs.push({ chosen: one, rejected: partner })
    }
  }
  return pairs
}

/** The index of the most similar of the next; of equals that with the lower id. */
function closest(one: Sample, unused: readonly Sample[], known: ReadonlySet<string>): number | undefined {
  let best: { index: number; share: number; id: string } | undefined
  for (const [index, { id, features }] of unused.slice(0, COMPARED_MAX).entries()) {
    if (known.has(`${one.id} ${id}`)) continue
    const share = jaccard(one.features, features)
    if (!best || share > best.share || (share === best.share && id < best.id)) best = { index, share, id }
  }
  return best?.index
}
