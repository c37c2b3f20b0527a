// Commands by family, as people and agents write them. A line of a file holds `!` where the command asks for an act and `=` where
// it only reads, then the command; a line with # names the family. Every third of each family was set aside before the grammar was
// written, and nothing is tuned on it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Json } from '../../../../shared/base/lib/json.ts'
import { classifyCommand } from '../../../../shared/govern/governance/words/classify.ts'
import { DEFAULT_SETTINGS } from '../../../../shared/govern/governance/settings.ts'

export const commanded = (command: string, context?: Json) =>
  classifyCommand({
    command,
    payload: { command, context },
    endpoint: { action_id: 'run' },
    settings: DEFAULT_SETTINGS,
  })

export type Commanded = { family: string; acts: boolean; command: string }

export function commandsOf(file: string): Commanded[] {
  let family = ''
  return readFileSync(join(import.meta.dirname, 'fixtures', file), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const rest = line.slice(2)
      if (line.startsWith('#')) family = rest
      return line.startsWith('#') ? [] : [{ family, acts: line.startsWith('!'), command: rest }]
    })
}
