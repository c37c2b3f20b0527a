// What a cold start costs: size of each function's code and CPU time of loading it in fresh processes, beside a bare
// DynamoDB handler loaded in the same rounds. CPU is counted, not the wall clock, so a busy machine distorts little.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { deflateRawSync } from 'node:zlib'
import type { Metafile } from 'esbuild'
import { bundle, codeOf, ENTRIES, type Entry, loadedAtStart } from '../../infra/bundle/bundle.ts'

const BARE: Entry = { id: 'bare', area: 'bench', operation: 'bare', file: 'test/bench/bare-handler.ts' }
/** The goals for bundles and starts. */
const START_KB_MAX = 400
const INIT_MS_MAX = 45
/** The OAuth server is one library, all of which is needed at the first request. */
const OAUTH = { kb: 1_200, ms: 100, area: 'oauth' }

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

type Sizes = { start: number; late: number; zip: number }

/** KB of what loads before the function can answer, of what loads later, and of a zip of both. */
function sizesOf(folder: string, outputs: Metafile['outputs']): Sizes {
  const start = loadedAtStart(outputs)
  const bytes = (late: boolean) =>
    sum(Object.entries(outputs).flatMap(([path, file]) => (start.has(path) === late ? [] : [file.bytes])))
  const zipped = readdirSync(folder).map((file) => deflateRawSync(readFileSync(join(folder, file))).length)
  return { start: bytes(false) / 1_000, late: bytes(true) / 1_000, zip: sum(zipped) / 1_000 }
}

/** The modules that functions import late, each with the KB that it adds at most to what is shared. */
function latePartsOf(linked: readonly Metafile[]): Map<string, number> {
  const parts = new Map<string, number>()
  for (const { outputs } of linked) {
    for (const [path, { entryPoint, bytes }] of Object.entries(outputs)) {
      if (!entryPoint || path.endsWith('/index.mjs')) continue
      const name = basename(entryPoint).replace(/-[A-Z0-9]{8}\.mjs$/, '')
      parts.set(name, Math.max(bytes / 1_000, parts.get(name) ?? 0))
    }
  }
  return parts
}

const whole = (kb: number) => kb.toFixed(0).padStart(6)
const ms = (value: number) => value.toFixed(1).padStart(6)

function rowOf(area: string, { start, late, zip }: Sizes, { min, median, max }: Times, bare: number): string {
  const limit = area === OAUTH.area ? OAUTH : { kb: START_KB_MAX, ms: INIT_MS_MAX }
  const missed = [...(start > limit.kb ? ['KB'] : []), ...(median > limit.ms ? ['ms'] : [])]
  const verdict = missed.length > 0 ? `FAIL ${missed.join(' ')}` : limit === OAUTH ? 'exempt' : 'ok'
  const numbers = [...[start, late, zip].map(whole), ...[min, median, max].map(ms)].join(' ')
  return `${numbers} ${(median / bare).toFixed(2).padStart(6)}  ${verdict.padEnd(10)}`
}

function measure(files: readonly string[], runs: number): Times[] {
  const times: number[][] = files.map(() => [])
  for (let round = 0; round < runs; round += 1)
    for (const [i, file] of files.entries()) times[i]?.push(initMillis(file))
  return times.map(summary)
}

/** Arguments: `--runs 15` and ids of functions; without ids, all of them. */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { runs: { type: 'string', default: '15' } },
  })
  const chosen = [BARE, ...ENTRIES.filter(({ id }) => positionals.length === 0 || positionals.includes(id))]
  const dist = mkdtempSync(join(tmpdir(), 'countersign-cold-'))
  try {
    const { linked } = await bundle([BARE, ...ENTRIES], dist)
    const folders = chosen.map((entry) => codeOf(entry, dist))
    const files = folders.map((folder) => join(folder, 'index.mjs'))
    const times = measure(files, Number(values.runs))
    console.log(
      `Code that loads at the start: at most ${START_KB_MAX} KB. Median CPU of loading it: at most ${INIT_MS_MAX} ms. ` +
        `Exempt is the OAuth server: ${OAUTH.kb} KB, ${OAUTH.ms} ms.`,
    )
    console.log(' start   late    zip    min median    max  ratio')
    for (const [i, { id, area }] of chosen.entries()) {
      const [folder, time, metafile] = [folders[i], times[i], linked[id]]
      if (!folder || !time || !metafile) continue
      console.log(`${rowOf(area, sizesOf(folder, metafile.outputs), time, times[0]?.median ?? Number.NaN)} ${id}`)
    }
    console.log('\nLate parts, KB beside what they share:')
    for (const [name, kb] of latePartsOf(Object.values(linked))) console.log(`${whole(kb)} ${name}`)
  } finally {
    rmSync(dist, { recursive: true })
  }
}
