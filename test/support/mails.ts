// The mails that the local stand-in for SES has written, oldest first.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAIL_FOLDER, type SentMail } from '../../infra/local/ses.ts'

export function mailsIn(directory: string): SentMail[] {
  const folder = join(directory, MAIL_FOLDER)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
}
