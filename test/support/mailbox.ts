// What people find in their mailboxes after everything that waits was worked off, and the token of the link in it.
import type { SentMail } from '../../infra/local/ses.ts'
import type { LocalStack } from './local-stack.ts'
import { mailsIn } from './mails.ts'

/** All mails to an address by now, oldest first. */
export async function mailsTo(local: Pick<LocalStack, 'drain' | 'directory'>, email: string): Promise<SentMail[]> {
  await local.drain()
  return mailsIn(local.directory).filter(({ to }) => to.includes(email))
}

/** The token in the last mail of a kind. Throws when there is none. */
export async function tokenFor(
  local: Pick<LocalStack, 'drain' | 'directory'>,
  email: string,
  kind: string,
): Promise<string> {
  const mail = (await mailsTo(local, email)).findLast((one) => one.kind === kind)
  const link = mail?.links[0]
  if (!link) throw new Error(`${email} got no ${kind} mail with a link`)
  return new URL(link).searchParams.get('token') ?? ''
}
