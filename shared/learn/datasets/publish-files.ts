// Adds card and manifest to the local files of a dataset, and stores all of them in the bucket; and the lease under which a worker
// does so.
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { removeFile, storeFile } from '../../base/aws/files.ts'
import { canonicalJson, sha256Hex } from '../../base/lib/json.ts'
import { type Dataset, DATASET_FORMATS, type DatasetFile, datasetKey, datasets } from './dataset.ts'
import type { Context } from '../../base/context.ts'
import { workLease } from '../../base/kernel/lease.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored } from '../../base/table/entity.ts'
import { moveDataset } from './move-dataset.ts'

export const CARD = 'README.md'
export const MANIFEST = 'manifest.json'

/** The files with card and manifest. `content_sha256` is the hash of the manifest, which has the hashes of all others. */
export function describeFiles(dataset: Described, made: readonly DatasetFile[], folder: string) {
  const card = written(folder, CARD, cardOf(dataset, made))
  const files = [...made, card].toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const manifest = written(folder, MANIFEST, `${canonicalJson({ v: 1, files })}\n`)
  return { files: [...files, manifest], content_sha256: manifest.sha256 }
}

function written(folder: string, path: string, content: string): DatasetFile {
  writeFileSync(join(folder, path), content)
  return { path, sha256: sha256Hex(content), size_bytes: Buffer.byteLength(content) }
}

const TYPES: Record<string, string> = { md: 'text/markdown', json: 'application/json' }

export async function publishFiles(dataset: Dataset, files: readonly DatasetFile[], folder: string): Promise<void> {
  for (const { path, sha256, size_bytes } of files) {
    const type = TYPES[path.split('.').at(-1) ?? ''] ?? 'application/x-ndjson'
    await storeFile(datasetKey(dataset, path), { path: join(folder, path), sha256, size_bytes, type })
  }
}

// The card of a dataset: a page for people, whose header names the files of each format and split for `load_dataset`. It holds
// no time and no id, since two generations of the same rows give the same bytes.

type Described = Pick<Dataset, 'name' | 'source' | 'format' | 'style' | 'filters' | 'counts' | 'split' | 'pii'>

function cardOf(dataset: Described, files: readonly DatasetFile[]): string {
  return `${[...header(dataset, files), ...text(dataset), ...table(files), ...notes(dataset)].join('\n')}\n`
}

const splitsOf = (files: readonly DatasetFile[], format: string) =>
  files.filter(({ path }) => path.startsWith(`${format}/`) && path.endsWith('.jsonl'))

function header({ name, format }: Described, files: readonly DatasetFile[]): string[] {
  const configs = DATASET_FORMATS.filter((one) => splitsOf(files, one).length > 0).flatMap((one) => [
    `- config_name: ${one}`,
    ...(one === format ? ['  default: true'] : []),
    '  data_files:',
    ...splitsOf(files, one).flatMap(({ path }) => [
      `  - split: ${path.endsWith('test.jsonl') ? 'test' : 'train'}`,
      `    path: ${path}`,
    ]),
  ])
  return ['---', `pretty_name: ${JSON.stringify(name)}`, 'configs:', ...configs, '---', '']
}

const SOURCES = {
  protocol_executions: 'Made of actions that agents requested, and of what people and policies decided on them.',
  feedback: 'Made of actions that agents requested and that people gave feedback on.',
  upload: 'Uploaded.',
} as const

function text({ name, source, filters, counts, split, pii }: Described): string[] {
  const lines = [`# ${name}`, '', SOURCES[source], '']
  if (filters)
    lines.push(
      `Actions requested from ${filters.start_date} up to and without ${filters.end_date}; seed ${filters.seed}.`,
      `Split by ${split ?? filters.split}; personal data: ${pii?.mode ?? filters.pii}.`,
    )
  if (split === 'sample' && filters?.split === 'group')
    lines.push('There are fewer than ten prompts, so one prompt may stand in both files.')
  if (counts)
    lines.push(
      '',
      '| Count | |',
      '|---|---|',
      ...Object.entries(counts).map(([key, value]) => `| ${key} | ${shown(value)} |`),
    )
  return [...lines, '']
}

const shown = (value: number | Record<string, number>): string =>
  typeof value === 'number'
    ? String(value)
    : Object.entries(value)
        .map(([name, count]) => `${name} ${count}`)
        .join(', ')

const table = (files: readonly DatasetFile[]): string[] => [
  '| File | Rows |',
  '|---|---|',
  ...files.filter(({ rows }) => rows !== undefined).map(({ path, rows }) => `| ${path} | ${rows} |`),
  '',
]

const notes = ({ style }: Described): string[] => [
  '`manifest.json` has the SHA-256 of each file. `provenance.ndjson` names, for each row, the executions and the evidence it was made',
  'of, and how sure its label is.',
  ...(style === 'tool_calls'
    ? [
        '',
        '`tools` and the `arguments` of tool calls are JSON texts, because all rows share one schema. For a chat template that applies',
        '`tojson` to `arguments`, parse them in one `map` before training.',
      ]
    : []),
]

/** Safe to repeat. */
export async function removeFiles(dataset: Dataset, files: readonly DatasetFile[]): Promise<void> {
  for (const { path } of files) await removeFile(datasetKey(dataset, path))
}

/** The lease of the worker, longer than it runs. */
const turns = /* @__PURE__ */ workLease(datasets, 16 * 60_000, 3)

const WORKED_ON = { queued: 'generating', awaiting_upload: 'validating' } as const
const GIVEN_UP = { generating: 'failed', validating: 'invalid' } as const

/**
 * Lets one worker at a time work on a dataset. A later one takes over from one that died, and after three tries the dataset is
 * given up. Undefined when there is nothing to do, another worker has it, or it was given up.
 */
export async function claimDataset(ctx: Context, was: Stored<Dataset>): Promise<Stored<Dataset> | undefined> {
  const { status, attempt } = was
  if (status === 'queued' || status === 'awaiting_upload')
    return moveDataset(ctx, was, { attempt: attempt + 1, ...turns.until(ctx.now()), status: WORKED_ON[status] })
  if (status !== 'generating' && status !== 'validating') return undefined
  if (turns.isHeld(was, ctx.now())) return undefined
  if (turns.isSpent(was)) {
    alarm('dataset_failed', new Error('a dataset could not be made'), { dataset: was.id })
    const error = { code: 'gave_up', message: 'The dataset could not be made. Request it again.' }
    await moveDataset(ctx, was, { status: GIVEN_UP[status], due_at: undefined, error })
    return undefined
  }
  return turns.take(ctx, was)
}
