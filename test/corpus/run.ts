// `npm run corpus`: how often the classification is right on labelled names and commands, with Wilson intervals of 95 %, and the
// sources and families in which it is wrong most often.
import { commanded, commandsOf } from '../unit/govern/governance/commands.ts'
import { type Published, published, tierOf, WITNESSES, type Witnesses } from '../unit/govern/governance/published.ts'
import { rate, worst } from './rates.ts'

const LISTS = [
  'tools-of-servers.txt',
  'operations-of-apis.txt',
  'held-out-tools.txt',
  'held-out-operations.txt',
  'tools-with-wire.txt',
  'operations-with-wire.txt',
  'held-out-tools-with-wire.txt',
  'held-out-operations-with-wire.txt',
  'seen-operations-with-wire.txt',
  'unseen-tools-with-wire.txt',
  'unseen-operations-with-wire.txt',
]
const WORST_SHOWN = 5

/** What is measured: which labels, and whether a tier is the one that it should be. */
const MEASURES: Record<string, [does: string, isMet: (tier: string) => boolean]> = {
  'acts run': ['adop', (tier) => tier === 'AUTO'],
  'deletes held': ['d', (tier) => tier === 'HARD'],
  'outward held': ['o', (tier) => tier === 'HARD'],
  'payments held': ['p', (tier) => tier === 'HARD'],
  'secrets held': ['s', (tier) => tier === 'HARD'],
  'reads run': ['r', (tier) => tier === 'AUTO'],
}

function measured(all: readonly Published[], by: Witnesses): Record<string, string> {
  return Object.fromEntries(
    Object.entries(MEASURES).map(([title, [does, isMet]]) => {
      const asked = all.filter((action) => does.includes(action.does))
      return [title, rate(asked.filter((action) => isMet(tierOf(action, by))).length, asked.length)]
    }),
  )
}

for (const by of WITNESSES) {
  console.log(`names, by ${by}`)
  console.table(Object.fromEntries(LISTS.map((file) => [file, measured(published(file), by)])))
}

const all = LISTS.flatMap(published)
const isWrong = (action: Published) => (action.does === 'r' ? tierOf(action) !== 'AUTO' : tierOf(action) === 'AUTO')
console.log('sources that are wrong most often, by name and description')
console.table(worst(all, ({ source }) => source, isWrong, WORST_SHOWN))

const commands = ['commands.txt', 'held-out-commands.txt']
const runs = (command: string) => commanded(command).tier === 'AUTO'
console.log('commands')
console.table(
  Object.fromEntries(
    commands.map((file) => {
      const [acting, reading] = [true, false].map((isAct) => commandsOf(file).filter(({ acts }) => acts === isAct))
      const share = (of: typeof acting = []) => rate(of.filter(({ command }) => runs(command)).length, of.length)
      return [file, { 'acts run': share(acting), 'reads run': share(reading) }]
    }),
  ),
)
console.log('families that are wrong most often')
console.table(
  worst(
    commands.flatMap(commandsOf),
    ({ family }) => family,
    ({ acts, command }) => runs(command) === acts,
    WORST_SHOWN,
  ),
)
