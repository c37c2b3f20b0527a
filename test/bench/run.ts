// `npm run bench -- <name>`: runs the benchmark in the file of that name, which exports `run(args)`.
import { readdirSync } from 'node:fs'

type Benchmark = { run: (args: string[]) => Promise<void> }

const [name = '', ...args] = process.argv.slice(2)
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !file.includes('-') && file !== 'run.ts')
  .map((file) => file.replace('.ts', ''))

if (names.includes(name)) {
  const benchmark: Benchmark = await import(`./${name}.ts`)
  await benchmark.run(args)
} else {
  console.error(`npm run bench -- <name>: ${names.join(', ')}`)
  process.exitCode = 1
}
