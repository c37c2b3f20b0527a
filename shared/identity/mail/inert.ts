// Makes text from outside harmless before it goes into a mail.
import { cleanName } from '../../base/lib/names.ts'

const LENGTH_MAX = 80
/** Where a mail program could detect a link. */
const LINKING = /[.:/@](?=\S)/g
const ZERO_WIDTH_SPACE = '\u200B'

/** One line of at most 80 characters. */
export function oneLine(text: string): string {
  const characters = [...cleanName(text, Infinity)]
  return characters.length > LENGTH_MAX ? `${characters.slice(0, LENGTH_MAX - 1).join('')}…` : characters.join('')
}

/** One line that no mail program turns into a link, for names that people chose. */
export const inert = (text: string): string => oneLine(text).replaceAll(LINKING, `$&${ZERO_WIDTH_SPACE}`)
