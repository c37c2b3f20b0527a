import { type Context, openTable, systemContext } from '../../base/context.ts'
import { info } from '../../base/lib/log.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { emailHash } from '../accounts/user.ts'
import { letterOf } from './letters.ts'
import type { Mail } from '../../ledger/events/mail.ts'
import { makeLink } from './mail-link.ts'
import { type Recipient, recipientsOf } from './recipients.ts'
import { render, type Rendered } from './render.ts'
import { claim, markSent } from './sent.ts'

/**
 * Sends a mail to each recipient. When one send fails, the others still get it, and the error is thrown at the end. Without a
 * configured sender, the mail is logged and dropped: nothing depends on mails.
 */
export async function sendMail(mail: Mail): Promise<void> {
  const from = process.env.MAIL_FROM
  if (!from) return info('mail_not_configured', { kind: mail.kind, tenant: mail.tenant_id })
  const recipients = await recipientsOf(openTable(), mail)
  const failures: unknown[] = []
  for (const recipient of recipients) await sendOnce(mail, recipient, from).catch((error) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}

async function sendOnce(mail: Mail, to: Recipient, from: string): Promise<void> {
  const { tenant_id, address, kind } = to
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const send = { tenant_id, mail_id: mail.id, recipient: to.user?.id ?? emailHash(address) }
  if (!(await claim(ctx.table, send))) return
  const rendered = await write(ctx, mail, to)
  const { ses, SendEmailCommand } = await import('../../base/aws/ses.ts')
  await ses().send(
    new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [address] },
      Content: { Simple: contentOf(rendered) },
      EmailTags: [{ Name: 'kind', Value: kind }],
    }),
  )
  await markSent(ctx.table, send)
  info('mail_sent', { kind, tenant: tenant_id, mail: mail.id })
}

async function write(ctx: Context, { facts }: Mail, { kind, user }: Recipient): Promise<Rendered> {
  const { name } = await tenantOf(ctx.table, ctx.space.tenant_id)
  return render(letterOf(kind, { tenant: name, ...facts }), await makeLink(ctx, kind, user, facts.back))
}

const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })

const contentOf = ({ subject, text, html }: Rendered) => ({
  Subject: utf8(subject),
  Body: { Text: utf8(text), Html: utf8(html) },
})
