// `npm run bench -- <name>`: runs the benchmark in the file of that name, which exports `run(args)`.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

type Benchmark = { run: (args: string[]) => Promise<void> }

const [name = '', ...args] = process.argv.slice(2)
const isBenchmark = (file: string) =>
  file.endsWith('.ts') && /^export (async )?function run\(/m.test(readFileSync(join(import.meta.dirname, file), 'utf8'))
const names = readdirSync(import.meta.dirname)
  .filter(isBenchmark)
  .map((file) => file.replace('.ts', ''))

if (names.includes(name)) {
  const benchmark: Benchmark = await import(`./${name}.ts`)
  await benchmark.run(args)
} else {
  console.error(`npm run bench -- <name>: ${names.join(', ')}`)
  process.exitCode = 1
}
