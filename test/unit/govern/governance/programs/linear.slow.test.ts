// However a hostile text is built, four times its length costs about four times as much: nothing here backtracks without bound.
import { expect, test } from 'vitest'
import { readCommand } from '../../../../../shared/govern/governance/words/command.ts'
import { readDescription } from '../../../../../shared/govern/governance/words/descriptions.ts'
import { DEFAULT_SETTINGS } from '../../../../../shared/govern/governance/settings.ts'
import { inspect } from '../../../../../shared/govern/governance/payload/signals.ts'

const PIECES = [
  'a',
  '(',
  ' ',
  '\n',
  '; ',
  "'",
  '"',
  '`',
  '[',
  '$(',
  '| ',
  '>',
  '{',
  '#',
  '--',
  '/*',
  '*/',
  '\\',
  '<',
  'é',
  '.a',
  'update ',
  'insert into ',
  '(select ',
  'drop table if exists ',
  'with a as (',
  'DELETE x ',
  'match (',
  'db.a.',
  'kubectl a b ',
  'mv a ',
  'rm(',
  'method: put ',
  'os.',
  'x (',
  'run run ',
  'and ',
  'to ',
  'a,',
  'a-b-',
  'the a of ',
  'red ',
  'a ',
  '5',
  '$5 ',
]
const [SMALL, LARGE] = [8_192, 32_768]

const READERS: [string, (text: string) => void][] = [
  ['a field', (text) => inspect({ query: text }, { ...DEFAULT_SETTINGS, pii_mode: 'off' })],
  ['a command', readCommand],
  ['a description', (text) => readDescription(text, false)],
]

/** CPU time, which waiting for other processes does not lengthen. */
function cost(run: () => void): number {
  const before = process.cpuUsage()
  run()
  return process.cpuUsage(before).user
}

/** Below this a cost is noise; a text of this length that is read in quadratic time costs a thousand times as much. */
const NOISE = 10_000

test.each(READERS)('%s is read in linear time', (_, read) => {
  for (const piece of PIECES) {
    const costOf = (length: number) => cost(() => read(piece.repeat(length / piece.length)))

    const large = Math.min(costOf(LARGE), costOf(LARGE)) // a collection of garbage in one of them is not the text's

    expect(large, piece).toBeLessThan(10 * (costOf(SMALL) + NOISE))
  }
})
