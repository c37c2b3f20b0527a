// Sends a mail to each of its recipients once, however often the queue delivers its message: claims it, decides who gets it,
// makes the one-time link, renders the letter.
import { type Context, openTable, systemContext } from '../../base/context.ts'
import { canonicalMailbox } from '../../base/lib/mailbox.ts'
import { info } from '../../base/lib/log.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { allRoles, emailHash, type User, users, usersPartition } from '../accounts/user.ts'
import { type Letter, letterOf } from './letters.ts'
import type { Mail, MailKind } from '../../ledger/events/mail.ts'
import * as z from 'zod'
import { takeUnread } from '../../base/kernel/lease.ts'
import { entity, spaceKey } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { claimsOn } from '../accounts/find.ts'
import { HOUR_MS } from '../../base/lib/clock.ts'
import { createLink, epochOf, type LinkPurpose } from '../access/link.ts'
import { env } from '../../base/lib/runtime.ts'

/**
 * Sends a mail to each recipient. When one send fails, the others still get it, and the error is thrown at the end, so that the
 * queue delivers the message again; recipients that have the mail are skipped then. If the process dies between the send and its
 * note, that recipient gets the mail twice. Without a configured sender, the mail is logged and dropped: nothing depends on mails.
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
      Destination: { ToAddresses: [canonicalMailbox(address) ?? address] },
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

/** Longer than the worker may run, shorter than the visibility timeout of the queue. */
const LEASE_MS = 60_000
/** Longer than the queue keeps a message. */
const KEPT_SECONDS = 15 * 86_400

type SendId = { tenant_id: string; mail_id: string; recipient: string }

const sends = entity({
  name: 'MAIL',
  unbound: 'bounded',
  schema: z.object({ state: z.enum(['sending', 'sent']), claimed_at: z.int() }),
  key: ({ tenant_id, mail_id, recipient }: SendId) => ({
    pk: spaceKey({ tenant_id, mode: 'live' }, 'MAIL', mail_id),
    sk: recipient,
  }),
})

/** Claims a mail for one recipient. False when it was sent or is being sent. An abandoned claim is taken over. */
async function claim(table: Table, of: SendId): Promise<boolean> {
  const now = table.clock.now()
  const set = { state: 'sending', claimed_at: now, _type: sends.name, _ttl: Math.floor(now / 1_000) + KEPT_SECONDS }
  return takeUnread(table, sends.key(of), {
    set,
    end: 'claimed_at',
    before: now - LEASE_MS, // the item stores when the lease began
    free: (ended) => `#state = :begun AND ${ended}`,
    values: { ':begun': 'sending' },
  })
}

const markSent = (table: Table, of: SendId): Promise<void> => table.update(sends.key(of), { set: { state: 'sent' } })

/** `user` is missing when the address no longer belongs to an account. */
type Recipient = { tenant_id: string; address: string; kind: MailKind; user?: User }

/** Most accounts of one address that get a mail each. */
const ACCOUNTS_MAX = 5
/** Most accounts of one address that are read to find those. */
const READ_MAX = 25

/** Decided at the time of sending: people who have left, or have verified their address meanwhile, get no mail. */
async function recipientsOf(table: Table, { kind, tenant_id, to }: Mail): Promise<Recipient[]> {
  if ('email' in to) {
    if (kind === 'password_reset' || kind === 'verify_email') {
      return recipientsAmong(kind, await accountsOf(table, to.email, to.tenant_id))
    }
    return tenant_id === undefined ? [] : [{ tenant_id, address: to.email, kind }]
  }
  if (tenant_id === undefined) return []
  if ('user_id' in to) {
    const user = await table.get(users, { tenant_id, id: to.user_id })
    return user ? asRecipient(user, kind) : []
  }
  const all = await table.query(users, { pk: usersPartition(tenant_id), index: 'gsi1' })
  const { user_ids = [] } = to
  const wanted = all.filter(
    (user) => user_ids.includes(user.id) || allRoles(user).some((role) => to.roles.includes(role)),
  )
  // Unverified addresses get no mail, because somebody may have registered with another person's address.
  return wanted.filter(({ email_verified }) => email_verified).flatMap((user) => asRecipient(user, kind))
}

/** Accounts that can sign in come before invitations, because anybody may invite an address many times. */
function recipientsAmong(kind: MailKind, accounts: readonly User[]): Recipient[] {
  const all = accounts.flatMap((user) => asRecipient(user, kind))
  const { true: sameKind = [], false: others = [] } = Object.groupBy(all, (one) => `${one.kind === kind}`)
  return [...sameKind, ...others].slice(0, ACCOUNTS_MAX)
}

async function accountsOf(table: Table, email: string, tenant_id: string | undefined): Promise<User[]> {
  const claims = (await claimsOn(table, email, tenant_id)).slice(0, READ_MAX)
  return table.getAll(
    users,
    claims.map(({ tenant_id: of, user_id }) => ({ tenant_id: of, id: user_id })),
  )
}

/** A password reset for an account that was never opened sends the invitation again. */
function asRecipient(user: User, requested: MailKind): Recipient[] {
  const { tenant_id, email: address, status, email_verified, proof_due, invitation } = user
  const kind = requested === 'password_reset' && status === 'invited' ? 'invitation' : requested
  const wanted =
    status === (kind === 'invitation' ? 'invited' : 'active') &&
    !(kind === 'invitation' && invitation?.ended_at) &&
    !(kind === 'verify_email' && email_verified && proof_due !== 'address')
  return wanted && address !== null ? [{ tenant_id, address, kind, user }] : []
}

type Kind = { life_ms: number; address: () => string }

const password = () => `${env('APP_URL')}/auth/password`

const KINDS: Record<LinkPurpose, Kind> = {
  verify_email: { life_ms: 24 * HOUR_MS, address: () => `${env('BASE_URL')}/api/v1/auth/verify-email` },
  password_reset: { life_ms: HOUR_MS, address: password },
  invitation: { life_ms: 7 * 24 * HOUR_MS, address: password },
}

const hasLink = (kind: MailKind): kind is LinkPurpose => Object.hasOwn(KINDS, kind)

/**
 * The URL with a new token for this account; undefined for kinds without a link. It is made when the mail is sent, so that no
 * queue and no log ever holds a token. `back`: where it leads in the end.
 */
async function makeLink(
  ctx: Context,
  kind: MailKind,
  user: User | undefined,
  back?: string,
): Promise<string | undefined> {
  if (!hasLink(kind) || !user || user.email === null) return undefined
  const { life_ms, address } = KINDS[kind]
  const { id: user_id, tenant_id, email } = user
  const of = { purpose: kind, tenant_id, user_id, email, epoch: epochOf(user, kind) }
  const token = await createLink(ctx, { ...of, life_ms, ...(back !== undefined && { back }) })
  return `${address()}?token=${token}`
}

type Rendered = { subject: string; text: string; html: string }

const SIGNATURE = 'Countersign'

const STYLE =
  ':root{color-scheme:light dark;supported-color-schemes:light dark}' +
  'body{margin:0;padding:24px;background:#fff;color:#1b1f24;font:16px/1.5 system-ui,sans-serif}' +
  'main{max-width:560px;margin:0 auto}h1{font-size:20px;line-height:1.3}' +
  'a{color:#0b57d0;overflow-wrap:anywhere}' +
  '.button{display:inline-block;padding:12px 20px;border-radius:6px;background:#0b57d0;color:#fff;text-decoration:none}' +
  'footer{color:#57606a;font-size:14px}' +
  '@media(prefers-color-scheme:dark){body{background:#14171a;color:#e6e9ec}a{color:#8ab4f8}' +
  '.button{background:#8ab4f8;color:#10151a}footer{color:#9aa4ae}}'

/**
 * Renders a letter as plain text and as HTML that is readable in light and dark mode and by screen readers. Nothing is loaded
 * from outside, so that opening a mail cannot be tracked. `url` is the one-time link of letters that have an action.
 */
export function render({ subject, lines, action }: Letter, url?: string): Rendered {
  const link = action !== undefined && url !== undefined ? { label: action, url } : undefined
  return {
    subject,
    text: [...lines, ...(link ? [`${link.label}:\n${link.url}`] : []), SIGNATURE].join('\n\n') + '\n',
    html: htmlOf(subject, lines, link),
  }
}

function htmlOf(subject: string, lines: readonly string[], link: { label: string; url: string } | undefined): string {
  const title = escaped(subject)
  const url = link && escaped(link.url)
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${title}</title><style>${STYLE}</style></head><body><main><h1>${title}</h1>`,
    ...lines.map((line) => `<p>${escaped(line)}</p>`),
    ...(link ? [`<p><a class="button" href="${url}">${escaped(link.label)}</a></p>`] : []),
    ...(link ? [`<p>Or open this address:<br><a href="${url}">${url}</a></p>`] : []),
    `<footer>${SIGNATURE}</footer></main></body></html>`,
  ].join('\n')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
