// Names that servers and APIs publish. A line of a file holds what the action does (r reads, s reads a secret, a acts, d deletes),
// its name, and the verb with which its publisher describes it; a line with # names the project. The effect of an operation
// decides its label: the HTTP method where it tells, else what its documentation says.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { classified } from './make.ts'

export type Published = { source: string; does: string; name: string; verb: string | undefined }

export function published(file: string): Published[] {
  let source = ''
  return readFileSync(join(import.meta.dirname, 'fixtures', file), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [does = '', name = '', verb] = line.split(' ')
      if (does === '#') source = name
      return does === '#' ? [] : [{ source, does, name, verb }]
    })
}

/** A sentence of its own with the verb (`Lists the thing.`), or with two (`Downloads and imports the thing.`). */
const described = ({ verb = '' }: Published) =>
  verb && { description: `${verb.charAt(0).toUpperCase()}${verb.slice(1).replace(',', ' and ')} the thing.` }

/** Those that have none of the tiers, with their source. */
export const notOfTier = (all: readonly Published[], tiers: readonly string[]): string[] =>
  all
    .filter((action) => !tiers.includes(classified(action.name, described(action) || {}).tier))
    .map(({ name, source }) => `${name} (${source})`)
