import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const RESOURCES_MAX = 500
const BYTES_MAX = 1_000_000

type Assets = { files: Record<string, { source: { path: string } }> }

/** One line per template of a stack, also nested ones, with its share of CloudFormation's limits, the largest first. */
export function templateReport(directory: string, stack: string): string[] {
  const read = (file: string) => readFileSync(join(directory, file), 'utf8')
  const { files }: Assets = JSON.parse(read(`${stack}.assets.json`))
  return Object.values(files)
    .map(({ source }) => source.path)
    .filter((file) => file.endsWith('.template.json'))
    .map((file) => {
      const text = read(file)
      const { Resources }: { Resources: object } = JSON.parse(text)
      return { file, resources: Object.keys(Resources).length, bytes: Buffer.byteLength(text) }
    })
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(({ file, resources, bytes }) =>
      [share(resources, RESOURCES_MAX), 'resources', share(bytes, BYTES_MAX), `bytes  ${file}`].join(' '),
    )
}

const share = (value: number, max: number) =>
  `${String(value).padStart(7)} (${String(Math.round((100 * value) / max)).padStart(2)} %)`
