// Rows of the files, exactly as TRL's trainers take them: these columns and nothing more.
import type { DatasetFormat } from '../datasets/dataset.ts'
import type { Texts } from './texts.ts'
import type { Pair } from './pair.ts'
import type { Sample } from './sample.ts'

/** One row: the samples in it. */
export type Planned = { format: 'dpo'; pair: Pair } | { format: 'sft' | 'kto'; sample: Sample }

const withTools = ({ tools }: Texts) => (tools === undefined ? {} : { tools })

export const dpoRow = (chosen: Texts, rejected: Texts): string =>
  JSON.stringify({
    prompt: chosen.prompt,
    chosen: chosen.completion,
    rejected: rejected.completion,
    ...withTools(chosen),
  })

export function rowOf(format: Exclude<DatasetFormat, 'dpo'>, { side }: Pick<Sample, 'side'>, texts: Texts): string {
  const { prompt, completion } = texts
  return JSON.stringify({
    prompt,
    completion,
    ...(format === 'kto' && { label: side === 'chosen' }),
    ...withTools(texts),
  })
}

/** What each format gets of the samples; a dataset of pairs comes with the other two forms, too. */
export function plan(format: DatasetFormat, samples: readonly Sample[], pairs: readonly Pair[]): Planned[] {
  const sft = samples.filter(({ side }) => side === 'chosen').map((sample) => ({ format: 'sft' as const, sample }))
  const kto = samples.map((sample) => ({ format: 'kto' as const, sample }))
  if (format === 'sft') return sft
  return format === 'kto' ? kto : [...pairs.map((pair) => ({ format: 'dpo' as const, pair })), ...sft, ...kto]
}

/** The sample that decides on which side of a split the row stands; a pair is as new as its newer sample. */
export function anchorOf(row: Planned): Sample {
  if (row.format !== 'dpo') return row.sample
  const { chosen, rejected } = row.pair
  return chosen.requested_at >= rejected.requested_at ? chosen : rejected
}
