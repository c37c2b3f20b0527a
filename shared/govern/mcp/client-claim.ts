// How the program of a caller calls itself: the answer to "which agent did this". It is a claim, and nothing is decided by it.
import type { ClientClaim } from '../../base/context.ts'
import { objectAt, textAt } from '../../base/wire/json-object.ts'
import { type Message, META, metaOf } from './message.ts'

const NAME_MAX = 32
const VERSION_MAX = 16

/** Of the message itself; else of the User-Agent, as in `claude-code/2.1 (cli)`. */
export function clientOf(message: Message, userAgent: string): ClientClaim | undefined {
  const info = objectAt(metaOf(message), META.clientInfo)
  const [product = '', release = ''] = (userAgent.split(' ')[0] ?? '').split('/')
  const name = plain(textAt(info, 'name') ?? product, NAME_MAX)
  const version = plain((info ? textAt(info, 'version') : release) ?? '', VERSION_MAX)
  if (name === '') return undefined
  return { name, ...(version !== '' && { version }) }
}

/** Names of programs, and no free text: it is stored in clear. */
const plain = (text: string, max: number): string =>
  text
    .replaceAll(/[^\w .@/+-]/g, '')
    .trim()
    .slice(0, max)
