// What a cold start costs: size of each function's bundle and CPU time of loading it in fresh processes, beside a bare
// DynamoDB handler loaded in the same rounds. CPU is counted, not the wall clock, so a busy machine distorts little.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { deflateRawSync } from 'node:zlib'
import { bundle, codeOf, ENTRIES, type Entry } from '../../infra/bundle.ts'

const BARE: Entry = { id: 'bare', area: 'bench', operation: 'bare', file: 'test/bench/bare-handler.ts' }
/** quality.md, "Bundle and init budgets". */
const RATIO_MAX = 1.3

const PROGRAM = `
  const before = process.cpuUsage()
  await import(process.argv[1])
  const { user, system } = process.cpuUsage(before)
  process.stdout.write(String((user + system) / 1000))
`

/** CPU milliseconds of importing the file in a new process. */
function initMillis(file: string): number {
  const env = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' }
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM, file], { env }))
}

type Times = { min: number; median: number; max: number }

function summary(values: readonly number[]): Times {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
  return { min: at(0), median: at(0.5), max: at(1) }
}

const sum = (lengths: number[]) => lengths.reduce((total, length) => total + length, 0)

/** Bytes of the folder's files as they are and as a zip would hold them. */
function sizes(folder: string) {
  const contents = readdirSync(folder).map((file) => readFileSync(join(folder, file)))
  return {
    raw: sum(contents.map(({ length }) => length)),
    zipped: sum(contents.map((content) => deflateRawSync(content).length)),
  }
}

const kb = (bytes: number) => (bytes / 1_000).toFixed(0).padStart(6)
const ms = (value: number) => value.toFixed(1).padStart(6)

/** Arguments: `--runs 15` and ids of functions; without ids, all of them. */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { runs: { type: 'string', default: '15' } },
  })
  const chosen = ENTRIES.filter(({ id }) => positionals.length === 0 || positionals.includes(id))
  const dist = mkdtempSync(join(tmpdir(), 'countersign-cold-'))
  try {
    await bundle([BARE, ...ENTRIES], dist)
    const rounds = [BARE, ...chosen].map((entry) => ({
      entry,
      file: join(codeOf(entry, dist), 'index.mjs'),
      times: [] as number[],
    }))
    for (let round = 0; round < Number(values.runs); round += 1) {
      for (const { file, times } of rounds) times.push(initMillis(file))
    }
    const bare = summary(rounds[0]?.times ?? []).median
    console.log('    KB    zip    min median    max  ratio')
    for (const { entry, times } of rounds) {
      const { raw, zipped } = sizes(codeOf(entry, dist))
      const { min, median, max } = summary(times)
      const ratio = median / bare
      const verdict = ratio > RATIO_MAX ? `  more than ${RATIO_MAX}` : ''
      console.log(
        `${kb(raw)} ${kb(zipped)} ${ms(min)} ${ms(median)} ${ms(max)} ${ratio.toFixed(2).padStart(6)}  ${entry.id}${verdict}`,
      )
    }
  } finally {
    rmSync(dist, { recursive: true })
  }
}
