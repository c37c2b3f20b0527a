// Which series a commit adds to. The names are stored: they never change their meaning.
import { TIERS } from '../../base/catalog/kinds.ts'
import {
  DIRECTIONS,
  ENDS,
  OUTCOMES,
  PII_ACTIONS,
  PII_TYPES,
  RESULTS,
  SEVERITIES,
  SLA_RESULTS,
} from '../../base/catalog/measure-words.ts'
import { type Measure, MEASURES, type MeasureCode } from '../../base/catalog/measures.ts'
import type { FoldedCommit } from '../../ledger/fold/folder.ts'
import { bucketOf, MS_EDGES, SECONDS_EDGES } from '../../base/lib/histogram.ts'

export type Addition = [series: string, by: number]

/** All but those of single nodes. */
export const additionsOf = ({ measures }: FoldedCommit): Addition[] => measures.map(readMeasure).flatMap(additions)

/** Runs by node, and those among them that did not succeed. */
export function nodeRuns({ events, measures }: FoldedCommit): Addition[] {
  const executed = events.find(({ type }) => type === 'protocol.executed')
  if (executed?.type !== 'protocol.executed') return []
  const { node_id } = executed.data
  return measures.map(readMeasure).flatMap((measure): Addition[] => {
    if (measure?.[0] !== 'r') return []
    return [[`n.${node_id}`, 1], ...(RESULTS[measure[1]] === 'ok' ? [] : [[`nb.${node_id}`, 1] satisfies Addition])]
  })
}

/** Undefined for what no version of this code has stated: it must not stop the counting of all the rest. */
function readMeasure(stated: unknown): Measure | undefined {
  const code: unknown = Array.isArray(stated) ? stated[0] : undefined
  if (typeof code !== 'string' || !Object.hasOwn(MEASURES, code)) return undefined
  return MEASURES[code as MeasureCode].safeParse(stated).data
}

function additions(measure: Measure | undefined): Addition[] {
  if (!measure) return []
  switch (measure[0]) {
    case 'd': {
      const [, tier, outcome, ms] = measure
      return [
        [`d.${TIERS[tier]}.${OUTCOMES[outcome]}`, 1],
        [`g${bucketOf(MS_EDGES, ms)}`, 1],
      ]
    }
    case 'r': {
      const [, result, , ms] = measure
      const took: Addition[] = ms === null ? [] : [[`e${bucketOf(MS_EDGES, ms)}`, 1]]
      return [[`r.${RESULTS[result]}`, 1], ...took]
    }
    case 'a':
      return [['a.asked', 1]]
    case 'e': {
      const [, end, seconds, sla] = measure
      const decided = ENDS[end] === 'approved' || ENDS[end] === 'rejected'
      return [
        [`a.${ENDS[end]}`, 1],
        ...(decided ? [[`as${bucketOf(SECONDS_EDGES, seconds)}`, 1] satisfies Addition] : []),
        ...(SLA_RESULTS[sla] === 'none' ? [] : [[`a.sla_${SLA_RESULTS[sla]}`, 1] satisfies Addition]),
      ]
    }
    case 'u':
      return [[measure[1] === 1 ? 'u.ok' : 'u.bad', 1]]
    case 'v':
      return [[measure[1] === 1 ? 'v.ok' : 'v.bad', 1]]
    case 'j':
      return [[measure[1] === 1 ? 'j.ok' : 'j.bad', 1]]
    case 'w':
      return [
        ['w.passes', 1],
        ['w.artifacts', measure[1]],
        ['w.ms', measure[2]],
      ]
    case 'i':
      return [[`i.${SEVERITIES[measure[1]]}`, 1]]
    case 'p': {
      const [, direction, action, ...pairs] = measure
      return PII_TYPES.flatMap((type, index) => {
        const at = pairs.findIndex((place, position) => position % 2 === 0 && place === index)
        const count = at < 0 ? undefined : pairs[at + 1]
        return count === undefined ? [] : [[`p.${type}.${DIRECTIONS[direction]}.${PII_ACTIONS[action]}`, count]]
      })
    }
    case 't':
      return [
        ['t.input', measure[1]],
        ['t.output', measure[2]],
      ]
    case 'q':
    case 'x':
    case 'y':
      return [] // counted where models are
    case 'h':
      return [] // counted by policy
    case 'k':
      return [] // trust is counted where the commit enters the log
    case 'c': {
      const [, name, good, total] = measure
      return [
        [`c.${name}.g`, good],
        [`c.${name}.t`, total],
      ]
    }
    default:
      return measure satisfies never
  }
}
