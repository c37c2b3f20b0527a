// The card of a dataset: a page for people, whose header tells `load_dataset` which files are which. It says nothing that differs
// between two generations of the same, since those give the same bytes.
import { type Dataset, DATASET_FORMATS, type DatasetFile } from './dataset.ts'

export type Described = Pick<Dataset, 'name' | 'source' | 'format' | 'style' | 'filters' | 'counts' | 'split' | 'pii'>

export function cardOf(dataset: Described, files: readonly DatasetFile[]): string {
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
