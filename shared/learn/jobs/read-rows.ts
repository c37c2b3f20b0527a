// The rows that the embedded trainer learns from, and is measured on.
import { type Known, type LinearType, readExamples } from '../trainers/rows/examples.ts'
import { Provenance } from '../trainers/rows/provenance.ts'
import { FORMAT_OF } from '../trainers/trainer.ts'
import type { DatasetFiles } from './dataset-files.ts'
import type { Job } from './job.ts'

/** None where the dataset has no such file. */
export async function readRows(files: DatasetFiles, job: Pick<Job, 'type'>, split: 'train' | 'test'): Promise<Known[]> {
  const file = `${FORMAT_OF[job.type]}/${split}.jsonl`
  if (!files.has(file)) return []
  const provenance = new Provenance()
  if (files.has('provenance.ndjson')) for await (const line of files.lines('provenance.ndjson')) provenance.add(line)
  return readExamples({ type: linearType(job), file, lines: files.lines(file), provenance })
}

export function linearType({ type }: Pick<Job, 'type'>): LinearType {
  if (type === 'approval' || type === 'preference') return type
  throw new Error(`the embedded trainer does not offer ${type}`)
}
