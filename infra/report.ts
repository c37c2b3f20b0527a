import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const RESOURCES_MAX = 500
const BYTES_MAX = 1_000_000

/** One line per template of a cloud assembly: how near it is to CloudFormation's limits, the fullest first. */
export function templateReport(directory: string): string[] {
  return readdirSync(directory)
    .filter((file) => file.endsWith('.template.json'))
    .map((file) => {
      const text = readFileSync(join(directory, file), 'utf8')
      const { Resources }: { Resources: object } = JSON.parse(text)
      return { file, resources: Object.keys(Resources).length, bytes: Buffer.byteLength(text) }
    })
    .toSorted((a, b) => b.bytes - a.bytes)
    .map(
      ({ file, resources, bytes }) =>
        `${share(resources, RESOURCES_MAX)} resources ${share(bytes, BYTES_MAX)} bytes  ${file}`,
    )
}

const share = (value: number, max: number) =>
  `${String(value).padStart(7)} (${String(Math.round((100 * value) / max)).padStart(2)} %)`
