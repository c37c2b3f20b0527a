// The text of each kind of mail. Everything that comes from outside is a fact.
import type { Mail, MailKind } from '../../ledger/events/mail.ts'
import { cleanName } from '../../base/lib/names.ts'

/** `tenant` is the tenant's name. A missing fact reads `unknown`. */
type Facts = (name: string) => string

const UNKNOWN = 'unknown'

/** Facts that people chose freely. */
const CHOSEN = new Set(['tenant', 'inviter', 'name', 'by', 'giver', 'delegate', 'address'])

/** `action`: the label of the button, in mails with a one-time link. */
export type Letter = { subject: string; lines: string[]; action?: string }

const NOT_YOU = 'If this was not you, change your password and tell an administrator of your organisation.'

/** `2026-11-20T10:11:12.013Z` as people read it. */
const time = (iso: string) => iso.replace(/^(.{10})T(.{5}).*$/, '$1 $2 UTC')

/** The letter of a kind. A fact cannot add a line or markup to it: each becomes text on a single line. */
export const letterOf = (kind: MailKind, facts: Mail['facts']): Letter =>
  LETTERS[kind]((fact) => (CHOSEN.has(fact) ? inert : oneLine)(facts[fact] ?? '') || UNKNOWN)

const LETTERS: Record<MailKind, (fact: Facts) => Letter> = {
  verify_email: (fact) => ({
    subject: 'Confirm your e-mail address',
    lines: [
      `Please confirm that this address is yours. It was given for an account of ${fact('tenant')}.`,
      'The link works for 24 hours. If you did not ask for an account, ignore this mail.',
    ],
    action: 'Confirm e-mail address',
  }),
  password_reset: (fact) => ({
    subject: 'Choose a new password',
    lines: [
      `Somebody asked for a new password for your account of ${fact('tenant')}.`,
      'The link works once, within an hour. If it was not you, ignore this mail: your password stays as it is.',
    ],
    action: 'Choose a new password',
  }),
  invitation: (fact) => ({
    subject: `Invitation to ${fact('tenant')}`,
    lines: [
      fact('inviter') === UNKNOWN
        ? `You are invited to join ${fact('tenant')} on Countersign.`
        : `${fact('inviter')} invites you to join ${fact('tenant')} on Countersign.`,
      'The link works once, within 7 days. If you do not expect an invitation, ignore this mail.',
    ],
    action: 'Accept the invitation',
  }),
  password_changed: (fact) => ({
    subject: 'Your password was changed',
    lines: [`The password of your account of ${fact('tenant')} was changed. Other sessions have ended.`, NOT_YOU],
  }),
  mfa_changed: (fact) => ({
    subject: 'Your second factors changed',
    lines: [`The second factors of your account of ${fact('tenant')} changed: ${fact('change')}.`, NOT_YOU],
  }),
  new_sign_in: (fact) => ({
    subject: 'New sign-in to your account',
    lines: [
      `Your account of ${fact('tenant')} was used from a device or country that we have not seen for a while.`,
      `When: ${time(fact('at'))}. Device: ${fact('device')}. Country: ${fact('country')}. Address: ${fact('ip')}.`,
      NOT_YOU,
    ],
  }),
  email_changed: (fact) => ({
    subject: 'The e-mail address of your account was changed',
    lines: [`The e-mail address of your account of ${fact('tenant')} was changed.`, NOT_YOU],
  }),
  api_key_expiring: (fact) => ({
    subject: `API key ${fact('name')} expires soon`,
    lines: [
      `The API key ${fact('name')} (${fact('hint')}…) of ${fact('tenant')} expires at ${time(fact('expires_at'))}.`,
      'Rotate it before then; what still uses it will be refused afterwards.',
    ],
  }),
  credential_transferred: (fact) => ({
    subject: `${fact('name')} keeps working without its maker`,
    lines: [
      `Somebody who knows the secret of the ${words(fact('credential'))} ${fact('name')} was removed from ${fact('tenant')}.`,
      'It belongs to your organisation and keeps working. Rotate its secret, or end it if nobody needs it.',
    ],
  }),
  security_alert: (fact) => ({
    subject: `Security alert: ${words(fact('type'))}`,
    lines: [
      `${fact('tenant')}: ${words(fact('type'))} at ${time(fact('at'))}.`,
      `Address: ${fact('ip')}. Country: ${fact('country')}. Action taken: ${words(fact('action_taken'))}.`,
      'The details are in the security events of your organisation.',
    ],
  }),
  alert_firing: (fact) => ({
    subject: `Alert (${fact('severity')}): ${fact('name')}`,
    lines: [
      `An alert of ${fact('tenant')} fires: ${fact('name')}. Severity: ${fact('severity')}.`,
      `Since: ${time(fact('at'))}. Alert: ${fact('alert')}. Acknowledge it to get no further mails about it for a while.`,
    ],
  }),
  alert_resolved: (fact) => ({
    subject: `Resolved: ${fact('name')}`,
    lines: [`The alert ${fact('name')} of ${fact('tenant')} is resolved since ${time(fact('at'))}.`],
  }),
  domain_lapsed: (fact) => ({
    subject: `Domain ${fact('domain')} is no longer verified`,
    lines: [
      `The verification record of ${fact('domain')} was missing for three days.`,
      `People of ${fact('tenant')} can still sign in, but no new ones through single sign-on, until the record is back.`,
    ],
  }),
  application_disconnected: (fact) => ({
    subject: `${fact('name')} is no longer connected to your account`,
    lines: [
      `An administrator of ${fact('tenant')} has ended the access of the application ${fact('name')} to your account.`,
      'You can connect it again if you still need it and your organisation lets you.',
    ],
  }),
  access_changed: (fact) => ({
    subject: 'Access settings were changed',
    lines: [
      `${fact('tenant')}: ${fact('by')} changed ${fact('change')}.`,
      `When: ${time(fact('at'))}. Address: ${fact('ip')}. The details are in the audit log of your organisation.`,
      'You get this as an owner. If you did not expect it, undo the change and end the access of the person who made it.',
    ],
  }),
  policy_frozen: (fact) => ({
    subject: 'Actions were frozen',
    lines: [
      `${fact('by')} of ${fact('tenant')} (${fact('mode')}) has set the freeze ${fact('freeze')} on ${fact('scope')}.`,
      `When: ${time(fact('at'))}. Reason: ${fact('reason')}`,
      'Nothing that it names runs until an owner or administrator lifts it.',
    ],
  }),
  policy_unfrozen: (fact) => ({
    subject: 'A freeze was lifted',
    lines: [
      `${fact('by')} of ${fact('tenant')} (${fact('mode')}) has lifted the freeze ${fact('freeze')} on ${fact('scope')}.`,
      `When: ${time(fact('at'))}. Reason: ${fact('reason')}`,
    ],
  }),
  delegation_created: (fact) => ({
    subject: 'Approvals were delegated',
    lines: [
      `${fact('giver')} of ${fact('tenant')} (${fact('mode')}) is away: ${fact('delegate')} may vote on approvals in their name.`,
      `From ${time(fact('from_at'))} until ${time(fact('until'))}, for ${fact('scope')}.`,
      'The person who is away can end it at any time, and so can an administrator.',
    ],
  }),
  delegation_ended: (fact) => ({
    subject: 'A delegation of approvals has ended',
    lines: [
      `${fact('delegate')} of ${fact('tenant')} (${fact('mode')}) no longer votes on approvals in the name of ${fact('giver')}.`,
      `It was ended by ${fact('by')}. Votes under it that have not decided yet do not count.`,
    ],
  }),
  kms_unavailable: (fact) => ({
    subject: 'Your encryption key does not answer',
    lines: [
      `${fact('tenant')}: KMS refuses the key ${fact('key')} of account ${fact('account')} with ${fact('error')}.`,
      'Data that is encrypted under it cannot be read until the key is enabled again and its policy lets the service use it.',
    ],
  }),
  retention_shortened: (fact) => ({
    subject: 'Payloads will be kept for a shorter time',
    lines: [
      `From ${time(fact('until'))} on, ${fact('tenant')} keeps the payloads of its actions for ${fact('days')} days.`,
      'Older ones are removed then. Records, signatures and proofs stay, and everything can still be verified.',
      'Until then, export evidence with its payloads if you need them for longer, or change your plan or the setting.',
    ],
  }),
  payment_failed: (fact) => ({
    subject: 'A payment has failed',
    lines: [
      `The payment for the plan ${fact('plan')} of ${fact('tenant')} has failed.`,
      fact('until') === UNKNOWN
        ? 'The plan is in effect again once the invoice is paid.'
        : `Unless the invoice is paid, the plan ends at ${time(fact('until'))}.`,
      'Pay it, or change the way of payment, on the page where you manage your subscription.',
    ],
  }),
  connection_lost: (fact) => ({
    subject: `Connect ${fact('name')} again`,
    lines: [
      `The credential for ${fact('name')} of ${fact('tenant')} (${fact('mode')}) can no longer be used: ${words(fact('reason'))}.`,
      'Actions through this connection fail until somebody connects it again.',
    ],
  }),
  webhook_failing: (fact) => ({
    subject: `Webhook ${fact('name')} is failing`,
    lines: [
      `Deliveries of ${fact('tenant')} (${fact('mode')}) to ${fact('name')} at ${fact('host')} keep failing.`,
      `Unless it recovers, it is disabled at ${time(fact('disable_at'))}.`,
    ],
  }),
  webhook_disabled: (fact) => ({
    subject: `Webhook ${fact('name')} is disabled`,
    lines: [
      `The webhook ${fact('name')} of ${fact('tenant')} (${fact('mode')}) at ${fact('host')} gets no more events.`,
      fact('reason') === 'user'
        ? 'Somebody of your organisation disabled it. Set its status to active when it is to get events again.'
        : `Reason: ${words(fact('reason'))}. Set its status to active once it works again.`,
    ],
  }),
  webhook_paused: (fact) => ({
    subject: `Webhook ${fact('name')} is paused`,
    lines: [
      `The access of the person who set the address of the webhook ${fact('name')} of ${fact('tenant')} (${fact('mode')}) has ended.`,
      `Address: ${fact('address')}.`,
      `Events: ${fact('events')}.`,
      'It gets no more events. If your organisation needs it, an owner or administrator sets its status to active, better after a rotation of its secret.',
    ],
  }),
  webhook_recovered: (fact) => ({
    subject: `Webhook ${fact('name')} is active again`,
    lines: [`The webhook ${fact('name')} of ${fact('tenant')} (${fact('mode')}) at ${fact('host')} gets events again.`],
  }),
  task_assigned: (fact) => ({
    subject: `A task for you: ${fact('name')}`,
    lines: [`${fact('tenant')}: ${fact('name')} is yours now. Its priority is ${fact('priority')}.`],
  }),
  sla_missed: (fact) => ({
    subject: `Running late: ${fact('name')}`,
    lines: [
      `${fact('tenant')}: ${fact('name')} takes longer than it should.`,
      'Nothing was decided because of that: it waits until somebody acts.',
    ],
  }),
}

const words = (name: string) => name.replaceAll('_', ' ')

// Makes text from outside harmless before it goes into a mail.

const LENGTH_MAX = 80
/** Where a mail program could detect a link. */
const LINKING = /[.:/@](?=\S)/g
const ZERO_WIDTH_SPACE = '\u200B'

/** One line of at most 80 characters. */
function oneLine(text: string): string {
  const characters = [...cleanName(text, Infinity)]
  return characters.length > LENGTH_MAX ? `${characters.slice(0, LENGTH_MAX - 1).join('')}…` : characters.join('')
}

/** One line that no mail program turns into a link, for names that people chose. */
const inert = (text: string): string => oneLine(text).replaceAll(LINKING, `$&${ZERO_WIDTH_SPACE}`)
