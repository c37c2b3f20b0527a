// Stand-in for SES: each mail becomes a file in the data directory, with its links listed separately for scripts. SES uses a
// REST protocol, unlike most services.
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import * as z from 'zod'
import type { Clock } from './clock.ts'
import type { S3 } from './s3.ts'

export const MAIL_FOLDER = 'mail'

const Text = z.object({ Data: z.string() })
const SendEmail = z.object({
  FromEmailAddress: z.string().min(1),
  Destination: z.object({ ToAddresses: z.array(z.string()).min(1).max(50) }),
  Content: z.object({ Simple: z.object({ Subject: Text, Body: z.object({ Text, Html: Text }) }) }),
  EmailTags: z.array(z.object({ Name: z.string(), Value: z.string().regex(/^[A-Za-z0-9_.@-]{1,256}$/) })),
})

/** The content of one file: the mail and the links in its text. */
export type SentMail = {
  from: string
  to: string[]
  subject: string
  kind: string
  text: string
  html: string
  links: string[]
}

/** Undefined for requests that are not for SES. */
export type Ses = (...request: Parameters<S3>) => ReturnType<S3> | undefined

const JSON_TYPE = { 'content-type': 'application/json' }

export function createSes(directory: string, clock: Pick<Clock, 'now'>): Ses {
  const folder = join(directory, MAIL_FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return ({ method, url }, body) => {
    if (method !== 'POST' || url !== '/v2/email/outbound-emails') return undefined
    const input = SendEmail.safeParse(JSON.parse(Buffer.from(body).toString()))
    if (!input.success) {
      const headers = { ...JSON_TYPE, 'x-amzn-errortype': 'BadRequestException' }
      return { status: 400, headers, body: JSON.stringify({ message: 'not a mail as the service sends them' }) }
    }
    keep(folder, clock.now(), mailOf(input.data))
    return { status: 200, headers: JSON_TYPE, body: JSON.stringify({ MessageId: randomUUID() }) }
  }
}

function mailOf({ FromEmailAddress, Destination, Content, EmailTags }: z.output<typeof SendEmail>): SentMail {
  const { Subject, Body } = Content.Simple
  return {
    from: FromEmailAddress,
    to: Destination.ToAddresses,
    subject: Subject.Data,
    kind: EmailTags.find(({ Name }) => Name === 'kind')?.Value ?? 'other',
    text: Body.Text.Data,
    html: Body.Html.Data,
    links: Body.Text.Data.match(/https?:\/\/\S+/g) ?? [],
  }
}

/** Writes to a temporary file and renames it, so that a reader of the folder never sees half a mail. */
function keep(folder: string, now: number, mail: SentMail): void {
  const at = new Date(now).toISOString().replaceAll(/[-:.Z]/g, '')
  const nameOf = (n: number) => join(folder, `${at}-${mail.kind}-${n}.json`)
  let n = 1
  while (existsSync(nameOf(n))) n += 1
  const temporary = `${nameOf(n)}.new`
  writeFileSync(temporary, `${JSON.stringify(mail, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, nameOf(n))
}
