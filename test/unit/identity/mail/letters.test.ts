import { describe, expect, test } from 'vitest'
import { letterOf } from '../../../../shared/identity/mail/letters.ts'
import { MAIL_KINDS } from '../../../../shared/ledger/events/mail.ts'
import { render } from '../../../../shared/identity/mail/send.ts'

const URL = 'https://app.countersign.example/auth/password?token=abc'

const FACTS = {
  priority: 'high',
  tenant: 'Acme',
  inviter: 'Ada',
  name: 'Deploy key',
  change: 'a factor was added',
  by: 'owner@acme.example',
  at: '2026-11-20T10:11:12.013Z',
  expires_at: '2026-11-21T10:11:12.013Z',
  disable_at: '2026-11-25T10:11:12.013Z',
  device: 'Firefox on Linux',
  country: 'NZ',
  ip: '203.0.113.7',
  hint: 'ak_live_ABCD',
  type: 'brute_force',
  action_taken: 'account_blocked',
  domain: 'acme.example',
  credential: 'api_key',
  key: '1234abcd-12ab-34cd-56ef-1234567890ab',
  account: '111122223333',
  error: 'DisabledException',
  mode: 'live',
  host: 'hooks.acme.example',
  address: 'https://hooks.acme.example/events',
  events: '2: action.approved, invoice.paid',
  reason: 'unhealthy',
  severity: 'high',
  freeze: 'frz01JD3Q8Z5N5H7K9N1Q3S5V7X9',
  scope: 'all actions',
  until: '2026-12-20T10:11:12.013Z',
  days: '365',
  plan: 'team',
  giver: 'ada@acme.example',
  delegate: 'ben@acme.example',
  from_at: '2026-11-20T10:11:12.013Z',
  alert: 'alt01JD3Q8Z5NHY0A2C4E6G8J0M2P',
}

const rendered = (kind: (typeof MAIL_KINDS)[number], facts: Record<string, string> = FACTS) =>
  render(letterOf(kind, facts), URL)

describe.each(MAIL_KINDS)('%s', (kind) => {
  test('says all it knows, in text and in HTML', () => {
    const { subject, text, html } = rendered(kind)

    expect(subject).toMatch(/^[^\p{C}]{10,78}$/u)
    expect((text + html).replaceAll('ak_live_', '')).not.toMatch(/unknown|undefined|_/)
    for (const line of letterOf(kind, FACTS).lines) expect(text).toContain(line)
    expect(html).toMatch(/^<!doctype html><html lang="en">/)
    expect(html).toContain(`<h1>${subject}</h1>`)
  })

  test('loads nothing, runs nothing, and is readable in the dark', () => {
    const { html } = rendered(kind)

    expect(html).not.toMatch(/<(img|script|link|iframe|object|form|base)\b|url\(|@import|\son\w+=/i)
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
    expect(html).toContain('prefers-color-scheme:dark')
  })

  test('without facts it is a letter still', () => {
    expect(rendered(kind, {}).text.length).toBeGreaterThan(20)
  })

  test('names that people chose come out inert', () => {
    const evil = '<img src=x onerror=alert(1)>\r\n\u202EBcc: x@evil.example\n\nhttps://evil.example/login\u0000&"\''
    const { subject, text, html } = rendered(kind, { ...FACTS, tenant: evil, inviter: evil, name: evil })

    expect(subject).not.toMatch(/\p{C}(?<!\u200B)/u)
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{C}(?<!\u200B)/u)
    expect(text).not.toMatch(/^Bcc/m)
    expect(html).not.toMatch(/<img/)
    const addresses = (text + html).match(/https?:\/\/[^\s"<]+|[\w.]+@[\w.]+|\w+\.example(?!\/auth)/g) ?? []
    const known = [URL, FACTS.domain, FACTS.host, 'acme.example']
    expect(addresses.filter((address) => !known.some((one) => one.includes(address)))).toEqual([])
  })
})

test('the kinds with a link show it once as a button and once to be read', () => {
  const withLink = MAIL_KINDS.filter((kind) => rendered(kind).text.includes(URL))

  expect(withLink).toEqual(['verify_email', 'password_reset', 'invitation'])
  expect(rendered('invitation').html.split(`href="${URL}"`)).toHaveLength(3)
  expect(render(letterOf('invitation', FACTS)).text).not.toContain('http')
})

test('a name has at most 80 characters', () => {
  const { subject } = rendered('invitation', { tenant: '🦊'.repeat(200) })

  expect([...subject.replace('Invitation to ', '')]).toHaveLength(80)
})
