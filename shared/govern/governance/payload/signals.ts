// Inspects the form of a payload: recipients, amounts, bulk, programs, secrets. Prose alone never changes a tier: texts are
// searched only for programs, secrets and personal data.
import type { Json } from '../../../base/lib/json.ts'
import { Amounts } from './amounts.ts'
import type { DeclaredRole } from './declared.ts'
import { addressesOf, amountOf, contactsOf, isOperation, isWildcard, NAME_MAX, roleOf } from './fields.ts'
import { LinkSearch, Recipients } from './destinations.ts'
import { isEmptyAt, type Member, membersAt, walk } from './members.ts'
import type { Finding, PiiType } from '../pii/find.ts'
import { PiiSearch } from '../pii/search.ts'
import { Programs } from '../programs/find.ts'
import type { GovernanceSettings } from '../settings.ts'

/** The facts `signals.*` of policies. */
export type Signals = {
  /** The largest amount, without sign; absent when there is none or one of them is ambiguous. */
  amount?: number
  /** ISO 4217, upper case; absent when there is none or there are several. */
  currency?: string
  recipients: number
  /** Hosts of all recipients, a phone number as `tel`; absent when one is not certain. */
  recipient_domains?: string[]
  /** Those outside the tenant's domains. */
  external_domains?: string[]
  /** Hosts of all links; absent when one is not certain. */
  url_hosts?: string[]
  /** Length of the longest list. */
  bulk_count: number
  wildcard: boolean
  sql_write: boolean
  shell: boolean
  secrets: boolean
  pii: PiiType[]
}

export type Inspection = {
  signals: Signals
  /** Whether some recipient is outside the tenant's domains, or has no readable domain. */
  external: boolean
  /** Hosts of all recipients; absent when one is not certain. */
  recipientHosts?: string[] | undefined
  /** The amounts whose sum counts: those at one place of the elements of a list, where they come to most. */
  amounts: number[]
  /** Whether some amount is ambiguous. */
  unreadableAmount: boolean
  /** Whether the manifest maps a member to a statement that the payload does not hold. */
  statementMissing: boolean
  /** Whether some member describes an HTTP request that may change something. */
  requestWrites: boolean
  /** How many recipients are outside the tenant's domains. */
  outside: number
  /** Whether there is personal data besides IP addresses, in any mode. */
  personal: boolean
  /** The operations that members such as `operation`, `action` and `mode` ask for. */
  operations: { member: string; text: string }[]
  /** Where personal data and secrets are; empty in mode `off`. */
  findings: Finding[]
  /** Whether the payload exceeds 256 Ki characters: only these were searched for secrets and personal data. */
  truncated: boolean
}

type Limits = Pick<GovernanceSettings, 'domains' | 'pii_mode'>

type Reading = {
  /** Top-level members that hold plain words, so their names give them no role. */
  prose?: readonly string[]
  /** Roles that the manifest gives members. They add to those of their names. */
  roles?: readonly DeclaredRole[]
}

/** Inspects a payload. `domains` holds all domains of the tenant, verified ones included. */
export function inspect(
  payload: Json | undefined,
  limits: Limits,
  { prose = [], roles = [] }: Reading = {},
): Inspection {
  const inspector = new Inspector(limits)
  for (const member of walk(payload, prose)) inspector.see(member)
  const statementMissing = roles.some(
    ({ steps, role }) => role === 'sql' && payload !== undefined && isEmptyAt(payload, steps),
  )
  for (const { steps, role } of roles) {
    if (roleOf(steps.findLast((step) => step !== '*') ?? '') === role) continue
    for (const member of membersAt(payload, steps, role)) inspector.see(member)
  }
  return { ...inspector.result(), statementMissing }
}

class Inspector {
  readonly #piiMode: Limits['pii_mode']
  readonly #recipients: Recipients
  readonly #currencies = new Set<string>()
  readonly #search = new PiiSearch()
  readonly #links = new LinkSearch()
  readonly #amounts = new Amounts()
  #bulk = 0
  #wildcard = false
  readonly #programs = new Programs()
  readonly #operations: Inspection['operations'] = []

  constructor({ domains, pii_mode }: Limits) {
    this.#piiMode = pii_mode
    this.#recipients = new Recipients(domains)
  }

  see(member: Member): void {
    const { value, role } = member
    this.#programs.see(member)
    if (Array.isArray(value)) this.#bulk = Math.max(this.#bulk, value.length)
    this.#search.see(member)
    this.#links.see(member)
    if (role && (typeof value === 'string' || typeof value === 'number')) this.#weigh(member, value)
  }

  #weigh(member: Member, value: string | number): void {
    const { role } = member
    const text = String(value)
    if (role === 'amount') this.#addAmount(member, value)
    else if (role === 'currency' && /^[a-z]{3}$/i.test(text)) this.#currencies.add(text.toUpperCase())
    else if (role === 'recipient') for (const address of addressesOf(text)) this.#recipients.add(address)
    else if (role === 'contact') for (const address of contactsOf(text)) this.#recipients.add(address)
    else if (role === 'phone' && text.trim() !== '') this.#recipients.addNumber(text)
    else if (isOperation(member) && text.length <= NAME_MAX) this.#operations.push({ member: member.label, text })
    else if (role === 'target') this.#wildcard ||= isWildcard(text)
  }

  #addAmount(member: Member, value: string | number): void {
    const amount = amountOf(value)
    if (amount !== undefined) this.#amounts.add(member, amount)
  }

  result(): Omit<Inspection, 'statementMissing'> {
    const { largest: amount, most: amounts } = this.#amounts
    const { findings, truncated } = this.#search
    const url_hosts = this.#links.hosts
    const shown = this.#piiMode === 'off' ? [] : findings
    const signals: Signals = {
      ...(amount !== undefined && !Number.isNaN(amount) && { amount }),
      ...(this.#currencies.size === 1 && { currency: [...this.#currencies].join('') }),
      recipients: this.#recipients.count,
      ...this.#recipients.domains,
      ...(url_hosts && { url_hosts }),
      bulk_count: this.#bulk,
      wildcard: this.#wildcard,
      sql_write: this.#programs.has('sql'),
      shell: this.#programs.has('shell'),
      secrets: findings.some(({ type }) => type === 'SECRET'),
      pii: [...new Set(shown.map(({ type }) => type))],
    }
    const unreadableAmount = Number.isNaN(amount)
    return {
      signals,
      external: this.#recipients.external,
      recipientHosts: this.#recipients.hosts,
      amounts,
      unreadableAmount,
      requestWrites: this.#programs.has('http'),
      outside: this.#recipients.outside,
      personal: findings.some(({ type }) => type !== 'SECRET' && type !== 'IP'),
      operations: this.#operations,
      findings: shown,
      truncated,
    }
  }
}
