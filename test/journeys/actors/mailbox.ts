// Somebody who looks into the folder in which a local service leaves its mails.
import { readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'

export type Letter = { to: string[]; kind: string; subject: string; text: string; links: string[] }

/** The newest mail of a kind to an address; waits for the first one. */
export function mailTo(data: string, email: string, kind: string): Promise<Letter> {
  const folder = join(data, 'mail')
  const { promise, resolve } = Promise.withResolvers<Letter>()
  const look = () => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json') && name.includes(`-${kind}-`))
    const letters = names.toSorted().map((name): Letter => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    const found = letters.findLast(({ to }) => to.includes(email))
    if (found) resolve(found)
  }
  const watcher = watch(folder, look)
  look()
  return promise.finally(() => watcher.close())
}
