import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { workers } from '../../../functions/workers.ts'
import type { ClientPlugin } from '../../../shared/base/aws/clients.ts'
import { readLink } from '../../../shared/identity/access/link.ts'
import { openTable, systemContext } from '../../../shared/base/context.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import type { Mail } from '../../../shared/ledger/events/mail.ts'
import { emailHash, emails, NEW_USER, type User, users } from '../../../shared/identity/accounts/user.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { mailsIn } from '../../support/mails.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

/** Set to make SES fail. */
let sesError: Error | undefined
/** Set to make SES refuse an address. */
let refusedAddress: string | undefined

type Sending = { input: { Destination: { ToAddresses: string[] } } }

const failing: ClientPlugin = (client, service) => {
  if (service !== 'sesv2') return
  const middleware = (next: (args: Sending) => unknown) => (args: Sending) => {
    const isRefused = args.input.Destination.ToAddresses.some((one) => one === refusedAddress)
    if (sesError || isRefused) throw sesError ?? new Error('MessageRejected')
    return next(args)
  }
  const add = (stack: { add: (one: typeof middleware, options: object) => void }) =>
    stack.add(middleware, { step: 'initialize', name: 'sesFaults' })
  client.middlewareStack.use({ applyToStack: add })
}

const local = useLocalStack({ plugins: [failing] })
let acme: TestTenant
let sent: number
beforeEach(async () => {
  acme = await local.tenant()
  sent = mailsIn(local.directory).length
})
afterEach(() => {
  sesError = undefined
  refusedAddress = undefined
  vi.unstubAllEnvs()
})

const newMails = () => mailsIn(local.directory).slice(sent)

let count = 0
function mail(over: Partial<Mail> & Pick<Mail, 'kind' | 'to'>): Mail {
  count += 1
  return { id: `mail_${count}`, tenant_id: acme.tenant_id, facts: {}, ...over }
}

const deliver = async (...mails: Mail[]) =>
  (await local.invoke(workers.sendMail, {
    Records: mails.map((one) => ({ messageId: one.id, body: JSON.stringify(one) })),
  })) as { batchItemFailures: { itemIdentifier: string }[] }

/** An account beside the pool, with its reservation. */
async function account(over: Partial<User> = {}, tenant_id = acme.tenant_id): Promise<User> {
  const ctx = systemContext({ tenant_id, mode: 'live' })
  const at = iso(ctx.now())
  const user: User = {
    ...NEW_USER,
    id: ctx.id('usr'),
    tenant_id,
    username: ctx.id('x'),
    email: `ada-${ctx.id('n').toLowerCase()}@acme.example`,
    email_verified: true,
    name: 'Ada',
    roles: ['member'],
    status: 'active',
    source: 'invite',
    created_at: at,
    updated_at: at,
    ...over,
  }
  const { email, username } = user
  const reservation = { tenant_id, username, user_id: user.id, state: 'complete' as const, created_at: at }
  const writes = email === null ? [] : [{ ...reservation, email_hash: emailHash(email), last_sign_in_at: null }]
  await ctx.table.commit([users.insert(user), ...writes.map((one) => emails.insert(one))])
  return user
}

test('an address that SES refuses keeps nobody else from being told', async () => {
  const { email } = await account({ roles: ['admin'] })
  const alert = mail({ kind: 'security_alert', to: { roles: ['owner', 'admin'] } })
  for (const refused of [email, acme.owner.email]) {
    refusedAddress = refused ?? undefined
    const { batchItemFailures } = await deliver({ ...alert, id: `${alert.id}_${refused}` })

    expect(batchItemFailures).toHaveLength(1)
  }
  expect(newMails().map(({ to }) => to)).toEqual([[acme.owner.email], [email]])
})

describe('links', () => {
  test.each([
    ['verify_email', { email_verified: false }, '/api/v1/auth/verify-email?token='],
    ['password_reset', {}, '/auth/password?token='],
    ['invitation', { status: 'invited' }, '/auth/password?token='],
  ] as const)('%s carries a link that works', async (kind, over, path) => {
    const user = await account(over)
    await deliver(mail({ kind, to: { user_id: user.id } }))

    const [{ links, to } = { links: [], to: [] }] = newMails()
    expect(to).toEqual([user.email])
    const [link = ''] = links
    expect(link.startsWith(`${kind === 'verify_email' ? local.apiUrl : local.appUrl}${path}`)).toBe(true)
    const token = new URL(link).searchParams.get('token') ?? ''
    await expect(readLink(openTable(), token, kind)).resolves.toMatchObject({ user: { id: user.id } })
  })

  test('no token is left in the table', async () => {
    const user = await account()
    await deliver(mail({ kind: 'password_reset', to: { user_id: user.id } }))

    const token = new URL(newMails()[0]?.links[0] ?? '').searchParams.get('token') ?? ''
    expect(token).toHaveLength(43)
    expect(await openTable().get({ key: () => ({ pk: `LINK#${token}`, sk: 'LINK' }), decode: (x) => x }, {})).toBe(
      undefined,
    )
  })
})

describe('who gets a mail', () => {
  test('everybody active with one of the roles, each alone', async () => {
    const [admin] = await Promise.all([
      account({ roles: ['member'], group_roles: ['admin'] }),
      account({ roles: ['admin'], status: 'suspended' }),
      account({ roles: ['admin'], email: null }),
      account({ roles: ['admin'], email_verified: false }),
      account({ roles: ['member'] }),
    ])
    await deliver(mail({ kind: 'security_alert', to: { roles: ['owner', 'admin'] } }))

    expect(newMails().map(({ to }) => to)).toEqual(expect.arrayContaining([[acme.owner.email], [admin?.email]]))
    expect(newMails()).toHaveLength(2)
  })

  test('a forgotten password reaches every account of the address, and nobody else', async () => {
    const other = await local.tenant()
    const email = 'Grace@acme.example'
    await Promise.all([account({ email }), account({ email }, other.tenant_id)])
    const forgot = (to: Mail['to']) => mail({ kind: 'password_reset', to, tenant_id: undefined })
    await deliver(forgot({ email: 'grace@ACME.example' }), forgot({ email: 'nobody@acme.example' }))

    expect(newMails().map(({ to }) => to)).toEqual([[email], [email]])

    await deliver(forgot({ email, tenant_id: other.tenant_id }))
    expect(newMails()).toHaveLength(3)
  })

  test('an account that was never opened is invited again instead', async () => {
    const { email } = await account({ status: 'invited' })
    await deliver(mail({ kind: 'password_reset', to: { email: email ?? '' }, tenant_id: undefined }))

    expect(newMails()).toMatchObject([{ kind: 'invitation', to: [email] }])
  })

  test.each([
    ['whoever is suspended', 'password_reset', { status: 'suspended' }],
    ['whoever has confirmed the address', 'verify_email', {}],
    ['whoever has joined', 'invitation', {}],
    ['whoever has no address', 'password_changed', { email: null }],
  ] as const)('%s gets none', async (_, kind, over) => {
    const user = await account(over)
    await deliver(mail({ kind, to: { user_id: user.id } }))

    expect(newMails()).toEqual([])
  })

  test('a former address is told without an account', async () => {
    await deliver(mail({ kind: 'email_changed', to: { email: 'former@acme.example', tenant_id: acme.tenant_id } }))

    expect(newMails()).toMatchObject([{ to: ['former@acme.example'], text: expect.stringContaining('tenant-') }])
  })
})

describe('once', () => {
  test('a message that is delivered again, or twice at once, sends nothing more', async () => {
    const one = mail({ kind: 'password_changed', to: { user_id: (await account()).id } })
    await Promise.all([deliver(one), deliver(one)])
    await deliver(one)

    expect(newMails()).toHaveLength(1)
  })

  test('what SES does not take comes back and goes out later', async () => {
    const user = await account()
    const [bad, good] = [
      mail({ kind: 'password_changed', to: { user_id: user.id } }),
      mail({ kind: 'password_changed', to: { user_id: 'usr_missing' } }),
    ]
    sesError = Object.assign(new Error('no'), { name: 'TooManyRequestsException' })
    expect(await deliver(bad, good)).toEqual({ batchItemFailures: [{ itemIdentifier: bad.id }] })

    sesError = undefined
    local.clock.moveTo(local.clock.now() + 180_000)
    expect(await deliver(bad)).toEqual({ batchItemFailures: [] })
    expect(newMails()).toHaveLength(1)
  })
})

test('without a sender mails are counted and nothing fails', async () => {
  vi.stubEnv('MAIL_FROM', '')
  vi.stubEnv('LOG_LEVEL', 'info')
  const lines: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
  const result = await deliver(mail({ kind: 'password_changed', to: { user_id: acme.owner.id } }))
  write.mockRestore()

  expect(result).toEqual({ batchItemFailures: [] })
  expect(lines.join('')).toContain('"event":"mail_not_configured","kind":"password_changed"')
  expect(newMails()).toEqual([])
})
