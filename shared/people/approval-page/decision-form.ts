// The form with the two buttons, the question that follows it where an action is hard to undo, and texts of others made safe to judge by
// eye.
import { MINUTE_MS } from '../../base/lib/clock.ts'
import { type Html, html } from '../../base/wire/page.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import type { Waiting } from '../../govern/approvals/grants/also-waiting.ts'
import type { Approval } from '../../govern/approvals/approval.ts'
import type { Form } from '../../identity/oauth/pages/forms.ts'
import type { GrantRule } from '../../govern/governance/rule-terms.ts'
import { inWords, nameIn, type Shown, timesOf } from './shown.ts'

export function decisionForm({ token }: Form, shown: Shown): Html {
  const { approval, choices, moot, now } = shown
  if (!choices) return html`<p role="status">You may see this approval, but not decide it.</p>`
  return html`<p>${timeLeft(Date.parse(approval.expires_at) - now)}</p>
    ${raisedHint(shown)}
    ${moot !== undefined && html`<p role="status">It does not run any more, also if you approve it: ${moot}.</p>`}
    <form method="post">
      <input type="hidden" name="token" value="${token}" />
      <input type="hidden" name="digest" value="${approval.action_digest}" />
      ${voterChoice(shown)} ${repeatChoice(shown)}
      <label for="reason">Reason (needed to reject)</label>
      <textarea id="reason" name="reason" rows="2" maxlength="2000"></textarea>
      <button name="step" value="approve">Approve</button>
      <button name="step" value="reject" class="second">Reject</button>
    </form>`
}

/** Whose vote it could also be, and what that means for it. */
function raisedHint(shown: Shown): Html | undefined {
  const { raised } = shown
  if (!raised) return undefined
  const people = raised.by.map((id) => nameIn(shown, { id })).join(', ')
  return html`<p role="status">
    Within 30 days ${people} invited you, gave you the right to decide, or reset your account, and could have requested
    this.
    ${
      raised.counts
        ? 'Nobody else can decide it, so your approval counts. The evidence says so.'
        : 'Your approval does not count, because others can decide it. You can reject it.'
    }
  </p>`
}

/** Nobody votes in the name of another without seeing it. */
function voterChoice(shown: Shown): Html | undefined {
  const { own = true, others = [] } = shown.choices ?? {}
  if (others.length === 0) return undefined
  return html`<label for="voter">In whose name you vote</label>
    <select id="voter" name="on_behalf_of">
      ${own && html`<option value="">my own</option>`}
      ${others.map((id) => html`<option value="${id}">${nameIn(shown, { id })}, who delegated to me</option>`)}
    </select>`
}

function repeatChoice({ choices }: Shown): Html | undefined {
  const rule = choices?.repeats
  if (!rule) return undefined
  const times = timesOf(rule).map((time) => html`<option value="${String(time)}">for ${inWords(time)}</option>`)
  return html`<label for="repeats">Also allow the same action again, without a question</label>
    <select id="repeats" name="allow_for_s" aria-describedby="repeats-hint">
      <option value="">no, this once only</option>
      ${times}
    </select>
    <p class="hint" id="repeats-hint">
      At most ${rule.max_uses === 1 ? 'once' : `${rule.max_uses} times`}, by the same requester, and with the same
      payload${mayDiffer(rule)}. It holds if everybody who approves allows it.
    </p>`
}

/** The members that the policies do not pin. */
function mayDiffer({ free, at_most }: GrantRule): string {
  const named = (pointers: readonly string[]) => pointers.map((pointer) => visibleText(pointer).text).join(', ')
  const parts = [
    ...(free.length > 0 ? [`${named(free)} may differ`] : []),
    ...(at_most.length > 0 ? [`${named(at_most)} may be smaller`] : []),
  ]
  return parts.length > 0 ? `, except that ${parts.join(', and ')}` : ''
}

/** The fields of the form besides the decision. */
export type Said = { reason: string; on_behalf_of: string; allow_for_s: string }

type Asking = { said: Said; voter: string | undefined; hard: boolean; waiting: readonly Waiting[] }

/**
 * Asked once more for what is hard to undo, by a button that names it, and for what else waits. `voter`: in whose name, if in another's.
 */
export const confirmHtml = (
  { token }: Form,
  { action_id, action_digest }: Approval,
  { said, voter, hard, waiting }: Asking,
): Html =>
  html`<p>${hard && 'This is hard to undo. '}Do you approve it?</p>
    ${voter !== undefined && html`<p>You vote in the name of ${voter}.</p>`}
    ${said.allow_for_s !== '' && html`<p>The same action may run again for ${inWords(Number(said.allow_for_s))}.</p>`}
    <form method="post">
      <input type="hidden" name="token" value="${token}" />
      <input type="hidden" name="digest" value="${action_digest}" />
      ${alsoChoice(waiting)}
      ${Object.entries(said).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <button name="step" value="confirm">Approve ${visibleText(action_id).text}</button>
      <button name="step" value="deny" class="second">Back</button>
    </form>`

/** A grant reaches later requests only, so equal requests that wait already are offered here. */
function alsoChoice(waiting: readonly Waiting[]): Html | undefined {
  if (waiting.length === 0) return undefined
  const each = waiting.map(({ approval: { id, action_digest } }) => `${id} ${action_digest}`)
  return html`<h2>These wait already</h2>
    <p>They would run under what you allow, but they were asked before. Each needs a vote of its own.</p>
    <ul>
      ${waiting.map(
        ({ approval, payload }) =>
          html`<li>
            <a href="${approval.id}">${approval.requested_at}</a>
            <code>${visibleText(canonicalJson(payload)).text}</code>
          </li>`,
      )}
    </ul>
    <label
      ><input type="checkbox" name="also" value="${each.join(',')}" /> Approve these ${String(each.length)}, too</label
    >`
}

function timeLeft(ms: number): string {
  const minutes = Math.ceil(ms / MINUTE_MS)
  if (minutes <= 0) return 'It has expired.'
  if (minutes < 120) return `It expires in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
  return `It expires in ${Math.floor(minutes / 60)} hours.`
}

export type VisibleText = { text: string; marks: number }

/** Controls but for line ends, format characters, private use, unassigned, odd spaces, fillers and variation selectors. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\u3164\uffa0\p{Variation_Selector}]/gu

const WORD = /[\p{L}\p{M}]+/gu
/** Scripts whose letters look like Latin ones. */
const LOOK_ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

const markOf = (character: string) =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

/**
 * Text that somebody else wrote, made safe to judge by eye: a character that cannot be seen, turns the direction of reading or imitates
 * another letter is replaced by its code point, and counted.
 */
export function visibleText(given: string): VisibleText {
  let marks = 0
  const marked = (character: string) => {
    marks += 1
    return markOf(character)
  }
  const seen = given.replaceAll(UNSEEN, (character) => (character === '\n' ? character : marked(character)))
  const text = seen.replaceAll(WORD, (word) => (mixes(word) ? word.replaceAll(ALIKE_ALL, marked) : word))
  return { text, marks }
}

const ALIKE_ALL = new RegExp(LOOK_ALIKE, 'gu')

/** Latin letters beside letters that imitate them, in one word. */
const mixes = (word: string) => /\p{Script=Latin}/u.test(word) && LOOK_ALIKE.test(word)
